"""Estimates the time of a grid: from similar runs in the table, or by counting operations."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from statistics import median

from hypertorus.paper.experiments.grid import Case, Scale
from hypertorus.paper.experiments.table import Row, runs_of

PASSES = 3
"""Cost of a training step in forward passes; a backward pass costs about two."""


def seconds_of(case: Case, scale: Scale, rows: Iterable[Row], teraflops: float) -> float:
    """Return the seconds of training: the median of similar runs, the time noted in the scale, or by operations."""
    kind = (case.data, case.trained)
    took = [run["seconds"] for run in runs_of(rows) if (run["data"], run["trained"]) == kind]
    known = [seconds for seconds in took if seconds]
    if known:
        return median(known)
    if case.trained in scale.seconds:
        return scale.seconds[case.trained]
    if case.trained not in scale.training:  # features and statistics are measured as they are
        return 0.0
    settings = scale.settings(case)
    views = 2 * scale.training_inputs * settings.epochs
    return PASSES * views * _operations(settings.encoder, scale.shape) / (teraflops * 1e12)


@cache
def _operations(encoder_name: str, shape: tuple[int, ...]) -> float:
    """Return the number of floating-point operations of a forward pass for one input."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    from hypertorus.models.encoders import encoder

    network = encoder(encoder_name, shape).eval()
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        network(torch.zeros(1, *shape))
    return counter.get_total_flops()
