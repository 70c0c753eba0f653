"""A grid of training runs, and how they are trained."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hypertorus.train.settings import Settings

SPACES = ("sphere", "torusN", "torusC")
DIMS = (16, 32, 64, 128)
WEIGHTS = (0.0, 0.001, 0.1, 1.0)
"""Of the KoLeo regulariser."""

END_TO_END, HEAD = "end-to-end", "head"
"""What is trained: the whole network, or a head on features of one that was trained before."""


@dataclass(frozen=True)
class Case:
    """One training run of a grid."""

    data: str
    trained: str
    space: str
    dim: int
    koleo: float
    seed: int

    def __str__(self) -> str:
        return f"{self.data} {self.trained} {self.space} dim{self.dim} koleo{self.koleo:g} seed{self.seed}"

    @property
    def folder(self) -> str:
        """A name for the folder of its model."""
        return str(self).replace(" ", "-")


@dataclass(frozen=True)
class Scale:
    """A grid, and how its runs are trained and measured."""

    cases: tuple[Case, ...]
    training: dict[str, dict[str, Any]]
    """Settings beside those of a case, by what is trained."""
    shape: tuple[int, ...] = (3, 32, 32)
    training_inputs: int = 45_000
    """Of an input, and how many are learned from: of CIFAR's 50,000 images a tenth is for validation."""
    seconds: dict[str, float] = field(default_factory=dict)
    """What a run took on one core, by what is trained, with its measurements; for the time left."""

    def settings(self, case: Case) -> Settings:
        from hypertorus.train.settings import Settings  # with torch, which tables and figures do without

        own = self.training[case.trained]
        return Settings(space=case.space, dim=case.dim, koleo=case.koleo, seed=case.seed, **own)


def grid(
    data: Iterable[str],
    trained: str,
    *,
    dims: Iterable[int] = DIMS,
    weights: Iterable[float] = WEIGHTS,
    seeds: Iterable[int] = (0, 1, 2),
) -> tuple[Case, ...]:
    """Every combination, a whole grid a seed, so that what is there at any time is as even as can be."""
    return tuple(
        Case(name, trained, space, dim, koleo, seed)
        for seed, name, koleo, dim, space in product(seeds, data, weights, dims, SPACES)
    )
