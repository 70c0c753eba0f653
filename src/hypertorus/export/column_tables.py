"""The tables of a convolutional network: all weights in one, and a row of facts for each stage."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.export.memory_plan import memory_plan
from hypertorus.export.stages import Columns, Stage
from hypertorus.export.table import Table

_UNIT = 4
"""Bytes in which the beginnings of weights are counted, so that 16 bits reach 256 KB."""


def column_tables(columns: Columns) -> list[Table]:
    """Return the tables that `native/hypertorus_convolutions.h` reads."""
    stages = columns.stages
    weights = [_weights(stage) for stage in stages]
    hidden = [stage.hidden for stage in stages]
    residuals = [stage.residuals for stage in stages if stage.residuals is not None]
    if sum(map(len, weights)) > _UNIT * 2**16:
        raise ValueError(f"the network has {sum(map(len, weights)):,} weights, more than 256 KB; train a narrower one.")

    def rows(name: str, numbers: list[npt.NDArray[Any]], comment: str) -> Table:
        return Table(f"ht_stage_{name}", np.concatenate(numbers), f"Stages: {comment}", "biases and multipliers")

    divided = "each sum is multiplied by this and divided by 2^(down + shift), which gives 0..255."
    factors = "what a number that came into the stage before is multiplied by and added to the sum."
    return [
        Table("ht_stage_weights", np.concatenate(weights), "Stages: the weights, one stage after another.", "weights"),
        rows("biases", [one.biases for one in hidden], "what is added to each sum."),
        rows("multipliers", [one.multipliers for one in hidden], divided),
        rows("shifts", [one.shifts for one in hidden], "the shift of each sum."),
        rows("residuals", residuals or [np.zeros(1, np.uint16)], factors),
        Table("ht_stages", _facts(columns, weights), "Stages: the fields of hypertorus_convolutions.h.", "stages"),
    ]


def _weights(stage: Stage) -> npt.NDArray[np.int8]:
    """Return the weights in the order in which C reads them: depthwise ones channel by channel within the kernel."""
    weights = stage.hidden.weights
    flat = (weights.T if stage.each else weights).reshape(-1)
    return np.pad(flat, (0, -len(flat) % _UNIT))


def _facts(columns: Columns, weights: list[npt.NDArray[np.int8]]) -> npt.NDArray[np.uint16]:
    plan, facts = memory_plan(columns), list[list[int]]()
    begin = row = factor = 0
    for stage, own, ring in zip(columns.stages, weights, plan.rings, strict=True):
        kernel = stage.kernel
        facts.append(
            [
                begin // _UNIT,
                row,
                len(stage.hidden.weights),
                kernel.out_places,
                ring,
                kernel.column,
                kernel.padding[0] * kernel.channels,
                kernel.size[0] * kernel.channels,
                kernel.stride[0] * kernel.channels,
                kernel.size[1],
                kernel.stride[1],
                kernel.padding[1],
                kernel.pad,
                stage.hidden.down,
                kernel.size[0] if stage.each else 0,
                0 if stage.residuals is None else 1 + factor,
            ]
        )
        begin, row = begin + len(own), row + len(stage.hidden.weights)
        factor += 0 if stage.residuals is None else len(stage.residuals)
    return np.array(facts, np.uint16)
