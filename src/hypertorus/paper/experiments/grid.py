"""A grid of training runs, and how they are trained."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from hypertorus.training.settings import Settings

SOFT = "torusN-soft"
"""Name of torusN with soft training, the default of the library, beside the three spaces as the paper trains them."""
SPACES: dict[str, dict[str, Any]] = {
    "sphere": {"space": "sphere"},
    "torusN": {"space": "torusN", "soft": 0.0},
    "torusC": {"space": "torusC"},
    SOFT: {"space": "torusN", "soft": 1.0},
}
"""The spaces of a grid by name, and the settings of each."""
PUBLISHED = tuple(name for name in SPACES if name != SOFT)
"""The spaces of the paper."""
NESTED = "torusN-nested"
"""Name of a soft torusN whose first coordinates are embeddings, too: one model for all sizes."""
WARM = "sphere-warm"
"""Name of the sphere at the temperature of soft torusN, so that both have it where they are compared."""
TRAINED = {**SPACES, NESTED: {**SPACES[SOFT], "nested": True}, WARM: {"space": "sphere", "temperature": 0.15}}
"""Every name that a case may have as its space."""
DIMS = (16, 32, 64, 128)
WIDEST = 2 * DIMS[-1]
"""Width at which codes of torusN have as many coordinates as those of the sphere at the widest of `DIMS`."""
WEIGHTS = (0.0, 0.001, 0.1, 1.0)
"""Weights of the KoLeo regulariser."""

END_TO_END, HEAD = "end-to-end", "head"
"""Ways to train: the whole network, or a head on features of a network that was trained before."""
PRETRAINED_HEAD, TORUS_HEAD = "head-pretrained", "head-torusN"
"""The same on features of a network of photographs, and of one that was trained on torusN."""
HEADS = (HEAD, PRETRAINED_HEAD, TORUS_HEAD)


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
        """Name of the folder of its model."""
        return str(self).replace(" ", "-")


@dataclass(frozen=True)
class Scale:
    """A grid of runs, and how they are trained and measured."""

    cases: tuple[Case, ...]
    training: dict[str, dict[str, Any]]
    """Settings that a case does not have, for each way to train."""
    shape: tuple[int, ...] = (3, 32, 32)
    """Shape of an input."""
    training_inputs: int = 45_000
    """Number of training inputs: a tenth of CIFAR's 50,000 images is for validation."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Seconds of a run and its measurements on one core, for each way to train; they estimate the remaining time."""

    def settings(self, case: Case) -> Settings:
        from hypertorus.training.settings import Settings  # with torch, which tables and figures do without

        own = self.training[case.trained]
        return Settings(**TRAINED[case.space], dim=case.dim, koleo=case.koleo, seed=case.seed, **own)


def grid(
    data: Iterable[str],
    trained: str,
    *,
    dims: Iterable[int] = DIMS,
    weights: Iterable[float] = WEIGHTS,
    seeds: Iterable[int] = (0, 1, 2),
    spaces: Iterable[str] = tuple(SPACES),
) -> tuple[Case, ...]:
    """Return every combination, seed by seed, so that an unfinished grid is as complete as possible."""
    return tuple(
        Case(name, trained, space, dim, koleo, seed)
        for seed, name, koleo, dim, space in product(seeds, data, weights, dims, spaces)
    )
