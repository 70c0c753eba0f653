"""What is fitted: the numbers of a coder as torch parameters, begun at principal components."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from hypertorus.coders.bits import STEPS, nibble_order, shared_bits
from hypertorus.coders.coder import BITS, Coder
from hypertorus.coders.plain import PlainCoder
from hypertorus.coders.torus import TorusCoder
from hypertorus.losses.neighbours import NeighboursLoss
from hypertorus.losses.rounding import rounded_turns, straight_through

_ROWS_AT_ONCE = 4096
"""Number of rows that are float64 at a time."""


class Student(nn.Module, ABC):
    """A coder in training: the scores of vectors against the codes of others, on the scale of cosines."""

    mean: Tensor

    @abstractmethod
    def forward(self, anchors: Tensor, candidates: Tensor) -> Tensor:
        """Return the scores [n, m] of anchors [n, numbers] against the codes of candidates [m, numbers]."""

    @abstractmethod
    def groups(self) -> list[dict[str, Any]]:
        """Return the parameters with their learning rates, as an optimiser takes them."""

    @abstractmethod
    def coder(self, facts: dict[str, Any]) -> Coder:
        """Return the coder as it is fitted so far."""


class PlainStudent(Student):
    """See `PlainCoder`: directions to encode by and to ask by, the widths of their cells, and the penalties."""

    bits: Tensor

    def __init__(self, base: Tensor, size: int) -> None:
        super().__init__()
        self.size = size
        mean, components, variances = principal_components(base)
        shared = shared_bits(variances.numpy(), 2 * size)
        chosen = nibble_order(shared)
        bits = torch.from_numpy(shared[chosen])
        widths = variances[chosen].sqrt() * torch.tensor(STEPS, dtype=variances.dtype)[bits]
        self.register_buffer("mean", mean.float())
        self.register_buffer("bits", bits)
        self.encode, self.query = (nn.Parameter(components[:, chosen].float()) for _ in range(2))
        self.widths, self.factors = (nn.Parameter(widths.log().float()) for _ in range(2))
        self.penalties = nn.Parameter(2 * widths.log().float())
        self.scale = nn.Parameter(torch.zeros(()))

    def forward(self, anchors: Tensor, candidates: Tensor) -> Tensor:
        exact = (candidates - self.mean) @ self.encode * (-self.widths).exp()
        half = 2.0 ** (self.bits - 1)
        inside = torch.maximum(torch.minimum(exact, half), -half)
        levels = straight_through(inside, torch.maximum(torch.minimum(exact.floor() + 0.5, half - 0.5), 0.5 - half))
        sides = (anchors - self.mean) @ self.query * self.factors.exp()
        return (sides @ levels.T - levels.square() @ self.penalties.exp() / 2) * self.scale.exp()

    def groups(self) -> list[dict[str, Any]]:
        directions = 5 / math.sqrt(len(self.encode))
        return [
            {"params": [self.encode, self.query], "lr": directions * 1e-2},
            {"params": [self.widths, self.factors, self.penalties], "lr": 1e-2},
            {"params": [self.scale], "lr": 5e-2},
        ]

    @torch.no_grad()
    def coder(self, facts: dict[str, Any]) -> PlainCoder:
        weights = {
            "mean": self.mean,
            "encode": self.encode * (-self.widths).exp(),
            "query": self.query * self.factors.exp(),
            "penalty": self.penalties.exp(),
            "bits": self.bits.to(torch.uint8),
        }
        return PlainCoder({name: tensor.numpy().copy() for name, tensor in weights.items()}, self.size, facts)


class TorusStudent(Student):
    """See `TorusCoder`: principal components, rotated at random to share the variance evenly, over a period.

    The period is the one of a few, in standard deviations of a coordinate, that keeps neighbours best.
    """

    PERIODS = (4.0, 6.0, 8.0, 12.0, 16.0)

    def __init__(self, base: Tensor, size: int) -> None:
        super().__init__()
        self.size = size
        mean, components, variances = principal_components(base)
        kept = components[:, : 2 * size] * (variances[: 2 * size] > 0)
        rotation = torch.linalg.qr(torch.randn(2 * size, 2 * size, dtype=kept.dtype)).Q
        directions = (kept @ rotation[: kept.shape[1]]).float()
        deviation = float(((base - mean.float()) @ directions).std())
        self.register_buffer("mean", mean.float())
        self.encode, self.scale = nn.Parameter(torch.empty_like(directions)), nn.Parameter(torch.zeros(()))
        losses = {period: self._start(base, directions, period * deviation) for period in self.PERIODS}
        best = min(losses, key=losses.__getitem__)
        self._start(base, directions, best * deviation)

    @torch.no_grad()
    def _start(self, base: Tensor, directions: Tensor, period: float) -> float:
        """Begin with this period, and return the loss."""
        self.encode.copy_(directions / period)
        self.scale.fill_(2 * math.log(period / (2 * math.pi)))  # at which small angles give cosines
        anchors, candidates = base[:256], base[256:4096]
        return float(NeighboursLoss()(self(anchors, candidates), anchors @ candidates.T))

    def forward(self, anchors: Tensor, candidates: Tensor) -> Tensor:
        points = [
            torch.cat([angles.cos(), angles.sin()], dim=1)
            for each in (anchors, candidates)
            for angles in [2 * math.pi * rounded_turns((each - self.mean) @ self.encode, BITS)]
        ]
        return (points[0] @ points[1].T) * self.scale.exp()

    def groups(self) -> list[dict[str, Any]]:
        directions = 5 * float(self.encode.detach().std())
        return [{"params": [self.encode], "lr": directions * 1e-2}, {"params": [self.scale], "lr": 5e-2}]

    @torch.no_grad()
    def coder(self, facts: dict[str, Any]) -> TorusCoder:
        weights = {"mean": self.mean.numpy().copy(), "encode": self.encode.numpy().copy()}
        return TorusCoder(weights, self.size, facts)


STUDENTS: dict[str, type[PlainStudent | TorusStudent]] = {"plain": PlainStudent, "torus": TorusStudent}


def principal_components(base: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the mean [numbers], the components [numbers, numbers] and their variances, the largest first."""
    mean = base.mean(dim=0, dtype=torch.float64)
    products = torch.zeros(base.shape[1], base.shape[1], dtype=torch.float64)
    for begin in range(0, len(base), _ROWS_AT_ONCE):
        centred = base[begin : begin + _ROWS_AT_ONCE] - mean
        products += centred.T @ centred
    variances, components = torch.linalg.eigh(products / len(base))
    variances = variances.flip(0)
    noise = np.finfo(np.float32).eps * variances[0]
    return mean, components.flip(1), torch.where(variances > noise, variances, 0.0)
