"""Class proxies: a point for each class, learnt beside the embeddings and dropped after training."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ProxyLoss(nn.Module):
    """Cross-entropy over the cosines of an embedding to a learnt point for each class (Movshovitz-Attias, 2017).

    The proxies are raw numbers [classes, dim] that go through the same projection as the embeddings, so they live in
    the same space. A contrastive loss sees the classes of a batch, the proxies all of them at each step. Give the
    optimiser the parameters of this loss beside those of the network.

    >>> from hypertorus.models import Project
    >>> loss = ProxyLoss(classes=10, dim=16, project=Project("torusN"))
    >>> points = Project("torusN")(torch.randn(32, 16))
    >>> bool(loss(points, torch.arange(32) % 10) > 0)
    True
    """

    def __init__(self, classes: int, dim: int, project: nn.Module, temperature: float = 0.1) -> None:
        super().__init__()
        if classes < 2:
            raise ValueError(f"classes is {classes}; proxies tell classes apart, so there must be at least 2.")
        self.raw = nn.Parameter(torch.randn(classes, dim))
        self.project, self.temperature = project, temperature

    @property
    def points(self) -> Tensor:
        """The proxies as unit-norm points [classes, width]."""
        points: Tensor = self.project(self.raw)
        return points

    def forward(self, points: Tensor, labels: Tensor, proxies: Tensor | None = None) -> Tensor:
        """Return the loss of unit-norm points [n, width] with labels [n]; `proxies` if not those of the whole width."""
        compared = self.points if proxies is None else proxies
        return nn.functional.cross_entropy(points @ compared.T / self.temperature, labels)
