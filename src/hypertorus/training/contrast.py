"""Contrastive losses by name, each on two views of a batch."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from hypertorus.files.extras import require
from hypertorus.losses.koleo import KoLeoLoss
from hypertorus.losses.neighbours import NeighboursLoss
from hypertorus.losses.nested import prefix, sizes
from hypertorus.losses.protoclr import ProtoCLRLoss
from hypertorus.losses.proxies import ProxyLoss
from hypertorus.losses.rounding import rounded_points
from hypertorus.spaces import space
from hypertorus.training.settings import Settings

require("pytorch_metric_learning", extra="train")

from pytorch_metric_learning.losses import NTXentLoss, SupConLoss, TripletMarginLoss  # noqa: E402

Contrast = Callable[[Tensor, Tensor, Tensor], Tensor]
UNSUPERVISED = ("simclr", "neighbours")
"""The losses that do not look at labels."""


def contrast(settings: Settings) -> Contrast:
    """Return the loss as a function of the first view's points [n, width], the second view's, and the labels [n].

    For `neighbours`, the vectors [n, ...] whose neighbours are kept take the place of the labels.
    """
    whole = _with_koleo(_main(settings), settings.koleo)
    if not settings.nested:
        return whole
    own = space(settings.space, settings.dim)

    def mean_of_prefixes(first: Tensor, second: Tensor, labels: Tensor) -> Tensor:
        return torch.stack([whole(prefix(first, own, n), prefix(second, own, n), labels) for n in sizes(own)]).mean()

    return mean_of_prefixes


def proxy_contrast(settings: Settings, proxies: ProxyLoss) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the weighted loss of the proxies as a function of points [n, width] and labels [n]."""
    own = space(settings.space, settings.dim)
    trained = sizes(own) if settings.nested else sizes(own)[-1:]

    def mean_of_prefixes(points: Tensor, labels: Tensor) -> Tensor:
        learnt = proxies.points
        losses = [proxies(prefix(points, own, n), labels, prefix(learnt, own, n)) for n in trained]
        return settings.proxies * torch.stack(losses).mean()

    return mean_of_prefixes


def _with_koleo(main: Contrast, weight: float) -> Contrast:
    if not weight:
        return main
    koleo = KoLeoLoss()

    def with_koleo(first: Tensor, second: Tensor, labels: Tensor) -> Tensor:
        return main(first, second, labels) + weight * koleo(torch.stack([first, second]))

    return with_koleo


def _main(settings: Settings) -> Contrast:
    if settings.loss == "protoclr":
        return ProtoCLRLoss(settings.temperature)
    if settings.loss == "neighbours":
        return _neighbours(settings)
    losses = {
        "supcon": lambda: SupConLoss(settings.temperature),
        "simclr": lambda: NTXentLoss(settings.temperature),
        "triplet": TripletMarginLoss,
    }
    loss = losses[settings.loss]()

    def both_views(first: Tensor, second: Tensor, labels: Tensor) -> Tensor:
        own = torch.arange(len(first), device=first.device) if settings.loss in UNSUPERVISED else labels
        return loss(torch.cat([first, second]), own.repeat(2))

    return both_views


def _neighbours(settings: Settings) -> Contrast:
    """Return the loss by which one view finds the inputs' neighbours in the other.

    Where the inputs are vectors themselves, views are codes of 4 bits on a torus. A network that learns from a teacher
    learns far more from points, and codes of 8 bits keep what it has learnt.
    """
    loss = NeighboursLoss()
    rounds = settings.space != "sphere" and not settings.teacher

    def both_views(first: Tensor, second: Tensor, inputs: Tensor) -> Tensor:
        vectors = torch.nn.functional.normalize(inputs.flatten(1).float(), dim=1)
        cosines = (vectors @ vectors.T).fill_diagonal_(-torch.inf)
        views = (first.float(), second.float())
        if rounds:
            views = (rounded_points(views[0], bits=4), rounded_points(views[1], bits=4))
        return loss(views[0] @ views[1].T, cosines)

    return both_views
