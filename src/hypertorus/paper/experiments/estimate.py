"""What a grid would take: by runs of the kind that are in the table, else by counting operations."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from statistics import median

from hypertorus.paper.experiments.scales import Case, Scale
from hypertorus.paper.experiments.table import Row

CIFAR = (3, 32, 32)
TRAINING_IMAGES = 45_000
"""Of CIFAR's 50,000, a tenth is for validation."""
PASSES = 3
"""A backward pass takes about two forward passes."""


def seconds_of(case: Case, scale: Scale, rows: Iterable[Row], teraflops: float) -> float:
    """Seconds of training: as runs of the same kind took here, as expected of the scale, or by operations."""
    kind = (case.data, case.trained)
    took = [r["seconds"] for r in rows if (r["data"], r["trained"]) == kind and r["quantiser"] == "none"]
    known = [seconds for seconds in took if seconds]
    if known:
        return median(known)
    if case.trained in scale.seconds:
        return scale.seconds[case.trained]
    settings = scale.settings(case)
    images = 2 * TRAINING_IMAGES * settings.epochs
    return PASSES * images * _operations(settings.encoder) / (teraflops * 1e12)


@cache
def _operations(encoder_name: str) -> float:
    """Floating-point operations of a forward pass for one CIFAR image."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    from hypertorus.learn.encoders import encoder

    network = encoder(encoder_name, CIFAR).eval()
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        network(torch.zeros(1, *CIFAR))
    return counter.get_total_flops()
