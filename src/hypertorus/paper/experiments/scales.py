"""The paper's first two experiments at three sizes. Every setting of them is in this file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from hypertorus.learn.settings import Settings

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
    end_to_end: dict[str, Any]
    """Settings of runs that train the whole network, beside those of the case."""
    head: dict[str, Any] = field(default_factory=dict)
    """Settings of runs that train a head."""
    features: dict[str, Any] = field(default_factory=dict)
    """Settings of the network whose features the heads stand on, trained once for each data set."""
    queries: int | None = None
    references: int | None = None
    """How many test inputs are looked up, among how many training inputs; without a number all."""
    seconds: dict[str, float] = field(default_factory=dict)
    """What a run took on one core, by what is trained, with its measurements; for the time left."""

    def settings(self, case: Case) -> Settings:
        chosen = self.end_to_end if case.trained == END_TO_END else self.head
        return Settings(space=case.space, dim=case.dim, koleo=case.koleo, seed=case.seed, **chosen)


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


DEMO = Scale(
    cases=grid(["digits"], END_TO_END, dims=(16, 64)),
    end_to_end={"encoder": "mlp:128", "epochs": 10, "batch": 128},
    seconds={END_TO_END: 3},
)
"""Handwritten digits of 8 x 8 pixels, in minutes on two cores."""

SMALL = Scale(
    cases=(
        *grid(["cifar10", "cifar100"], HEAD),
        *grid(["cifar10", "cifar100"], END_TO_END, dims=(16, 64), weights=(0.001,)),
    ),
    end_to_end={"encoder": "small:12", "loss": "protoclr", "epochs": 3},
    head={"encoder": "none", "epochs": 2},
    features={"encoder": "small", "loss": "protoclr", "epochs": 16, "space": "sphere", "dim": 128},
    queries=2000,
    references=10_000,
    seconds={END_TO_END: 190, HEAD: 24},
)
"""CIFAR with a small network, in hours on two cores."""

FULL = Scale(
    cases=grid(["cifar10", "cifar100"], END_TO_END, seeds=(0,)),
    end_to_end={
        "encoder": "resnet18",
        "loss": "supcon",
        "temperature": 0.1,
        "optimiser": "adam",
        "epochs": 100,
        "batch": 200,
        "clip": 100.0,
        "clip_by": "value",
        "ema": 0.999,
        "average_best": 3,
        "patience": 20,
    },
)
"""The paper's configuration, for a GPU; it has one run of each kind."""

SCALES = {"demo": DEMO, "small": SMALL, "full": FULL}
