"""What a grid would take: by runs of the kind that are in the table, else by counting operations."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from statistics import median

from hypertorus.paper.experiments.grid import Case, Scale
from hypertorus.paper.experiments.table import Row, runs_of

PASSES = 3
"""A backward pass takes about two forward passes."""


def seconds_of(case: Case, scale: Scale, rows: Iterable[Row], teraflops: float) -> float:
    """Seconds of training: as runs of the same kind took here, as expected of the scale, or by operations."""
    kind = (case.data, case.trained)
    took = [run["seconds"] for run in runs_of(rows) if (run["data"], run["trained"]) == kind]
    known = [seconds for seconds in took if seconds]
    if known:
        return median(known)
    if case.trained in scale.seconds:
        return scale.seconds[case.trained]
    settings = scale.settings(case)
    views = 2 * scale.training_inputs * settings.epochs
    return PASSES * views * _operations(settings.encoder, scale.shape) / (teraflops * 1e12)


@cache
def _operations(encoder_name: str, shape: tuple[int, ...]) -> float:
    """Floating-point operations of a forward pass for one input."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    from hypertorus.models.encoders import encoder

    network = encoder(encoder_name, shape).eval()
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        network(torch.zeros(1, *shape))
    return counter.get_total_flops()
