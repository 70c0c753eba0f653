"""The paper's first two experiments at three scales; this file holds all of their settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypertorus.paper.experiments.grid import (
    DIMS,
    END_TO_END,
    HEAD,
    HEADS,
    PRETRAINED_HEAD,
    PUBLISHED,
    SOFT,
    TORUS_HEAD,
    WARM,
    WIDEST,
    Scale,
    grid,
)


@dataclass(frozen=True)
class ImageScale(Scale):
    """A grid on sets of images."""

    encoders: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Settings of the networks whose features heads use, for each kind of head; trained once for each data set."""
    pretrained: dict[str, str] = field(default_factory=dict)
    """Names of encoders whose features heads use as they are."""
    queries: int | None = None
    """Number of test inputs that are searched for; None for all."""
    references: int | None = None
    """Number of training inputs that are searched among; None for all."""


DEMO = ImageScale(
    cases=grid(["digits"], END_TO_END, dims=(16, 64)),
    training={END_TO_END: {"encoder": "mlp:128", "epochs": 10, "batch": 128}},
    seconds={END_TO_END: 3},
)
"""Handwritten digits of 8 x 8 pixels, in minutes on two cores."""

FEATURES = {"encoder": "small", "loss": "protoclr", "epochs": 16, "space": "sphere", "dim": 128}
"""Settings of the first network whose features heads use."""

SMALL = ImageScale(
    cases=(
        *grid(["cifar10", "cifar100"], HEAD, spaces=PUBLISHED),
        *grid(["cifar10", "cifar100"], HEAD, weights=(0.001,), spaces=(SOFT, WARM)),
        *grid(["cifar10", "cifar100"], END_TO_END, dims=(16, 64), weights=(0.001,)),
        *grid(["cifar100"], PRETRAINED_HEAD, dims=(*DIMS, WIDEST), weights=(0.001,)),
        *grid(["cifar10"], PRETRAINED_HEAD, dims=(*DIMS, WIDEST), weights=(0.001,), spaces=("sphere", SOFT)),
        *grid(["cifar10", "cifar100"], PRETRAINED_HEAD, dims=(*DIMS, WIDEST), weights=(0.001,), spaces=(WARM,)),
        *grid(["cifar100"], TORUS_HEAD, weights=(0.001,)),
    ),
    training={
        END_TO_END: {"encoder": "small:12", "loss": "protoclr", "epochs": 3},
        **{kind: {"encoder": "none", "epochs": 2} for kind in HEADS},
    },
    encoders={
        HEAD: FEATURES,
        TORUS_HEAD: {**FEATURES, "encoder": "small:12", "epochs": 8, "space": "torusN"},
    },
    pretrained={PRETRAINED_HEAD: "efficientnet-lite0"},
    queries=2000,
    references=10_000,
    seconds={END_TO_END: 190, **dict.fromkeys(HEADS, 24)},
)
"""CIFAR with a small network, in hours on two cores."""

FULL = ImageScale(
    cases=grid(["cifar10", "cifar100"], END_TO_END, seeds=(0,)),
    training={
        END_TO_END: {
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
        }
    },
)
"""The paper's configuration, for a GPU; it has one run of each kind."""

SCALES = {"demo": DEMO, "small": SMALL, "full": FULL}
