"""The paper's third experiment at three scales; this file holds all of its settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypertorus.paper.experiments.grid import DIMS, END_TO_END, HEAD, Case, Scale, grid

FEATURES, STATISTICS = "features", "statistics"
"""Baselines without training: ready-made features, and statistics of the spectrogram."""
AS_THEY_ARE = (FEATURES, STATISTICS)
BANDS = "bands"
"""Way to train: a head on statistics of the bands of a spectrogram."""

CHIRPS = "chirps"
"""Name of the synthetic recordings, which are written when they are needed."""
RECORDINGS, EMBEDDED = "birds225+birds6", "birds225_birdnet.npz"
XENO_CANTO = "xeno-canto"
TEST_SETS = {
    "PER": "peru",
    "NES": "coffee_farms",
    "UHH": "hawaii",
    "HSN": "high_sierras",
    "SSW": "ssw",
    "SNE": "sierras_kahl",
}
"""Test sets of the benchmark and their published folders; POW, `pow.pt`, is for validation."""


@dataclass(frozen=True)
class BirdsongScale(Scale):
    """A grid on sounds, or on features of sounds."""

    sound: dict[str, Any] = field(default_factory=dict)
    """Settings of the spectrograms."""
    unseen: int = 40
    """Number of species to test on, which are in no training data and drawn anew for each seed."""
    choosing: int = 15
    """Number of species for validation, and of training species with a recording held out for testing."""
    shots: tuple[int, ...] = (1, 5)
    ways: tuple[int | None, ...] = (5, None)
    """Numbers of classes in an episode; None for all."""
    bits: tuple[int, ...] = (8, 4, 2)


def birdsong_grid(data: str, trained: str, **options: Any) -> tuple[Case, ...]:
    """Return the grid of all spaces and dimensions, without KoLeo, as in the paper."""
    return grid([data], trained, weights=(0.0,), **options)


def beside(data: str, trained: str, dim: int, seeds: tuple[int, ...]) -> tuple[Case, ...]:
    """Return the cases of a baseline without training, as points of a sphere."""
    return tuple(Case(data, trained, "sphere", dim, 0.0, seed) for seed in seeds)


DEMO = BirdsongScale(
    cases=(*birdsong_grid(CHIRPS, END_TO_END, dims=(16, 64), seeds=(0,)), *beside(CHIRPS, STATISTICS, 128, (0,))),
    training={END_TO_END: {"encoder": "small-audio:8", "loss": "protoclr", "epochs": 16, "batch": 32, "patience": 100}},
    sound={"seconds": 1.5, "bands": 64},
    unseen=8,
    choosing=4,
    seconds={END_TO_END: 10},
)
"""Synthetic chirps, in less than a minute on two cores."""

LINEAR = {
    "frozen": True,
    "head": "linear",
    "start": "pca",
    "loss": "protoclr",
    "lr": 3e-4,
    "epochs": 40,
    "noise": 0.5,
    "patience": 100,
}
"""Settings of heads that learn from few clips."""

UNTOUCHED = (11, 12, 13)
"""Seeds that were not used to choose settings, as 0 to 10 were."""

SMALL = BirdsongScale(
    cases=(
        *beside(EMBEDDED, FEATURES, 1024, UNTOUCHED),
        *birdsong_grid(EMBEDDED, HEAD, seeds=UNTOUCHED),
        *beside(RECORDINGS, STATISTICS, 256, UNTOUCHED),
        *birdsong_grid(RECORDINGS, BANDS, seeds=UNTOUCHED),
        *birdsong_grid(RECORDINGS, END_TO_END, seeds=UNTOUCHED),
    ),
    training={
        END_TO_END: {"encoder": "small-audio:8", "loss": "protoclr", "epochs": 12, "batch": 64, "patience": 100},
        BANDS: {"encoder": "bands", "batch": 64, **LINEAR},
        HEAD: {"encoder": "root", **LINEAR},
    },
    sound={"seconds": 3.0, "depth": 60.0},
    seconds={END_TO_END: 100, BANDS: 20, HEAD: 15, FEATURES: 2, STATISTICS: 20},
)
"""An hour and a half of recordings and a large network's features of some, in less than an hour on two cores."""

FULL = BirdsongScale(
    cases=birdsong_grid(XENO_CANTO, END_TO_END, dims=DIMS, seeds=(0,)),
    training={
        END_TO_END: {
            "encoder": "cvt13",
            "loss": "protoclr",
            "temperature": 0.1,
            "optimiser": "sgd",
            "lr": 0.05,
            "weight_decay": 1e-6,
            "schedule": "cosine",
            "epochs": 100,
            "batch": 256,
            "patience": 100,
        }
    },
    sound={"seconds": 6.0},
    ways=(None, 5),
    shape=(1, 128, 301),
    training_inputs=684_744,
)
"""The published configuration, which takes a GPU weeks; see --dry-run."""

SCALES = {"demo": DEMO, "small": SMALL, "full": FULL}
