"""Layers of a network in integers, equal bit for bit to `native/hypertorus_layers.h`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.export.angle import direction_codes

Integers = npt.NDArray[Any]


@dataclass(frozen=True)
class Hidden:
    """A row's sum times its multiplier over 2^(shift + down), clipped to 0..255; the clip at 0 is the ReLU."""

    weights: npt.NDArray[np.int8]
    biases: npt.NDArray[np.int32]
    multipliers: npt.NDArray[np.uint16]
    shifts: npt.NDArray[np.uint8]
    down: int

    def __call__(self, numbers: Integers) -> npt.NDArray[np.uint8]:
        return self.bytes(row_sums(self.weights, numbers))

    def bytes(self, sums: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """Return the bytes that sums of the rows, without their biases, become."""
        narrow = np.minimum(np.maximum(sums + self.biases, 0) >> self.shifts, 2**16 - 1)
        return np.minimum(narrow * self.multipliers >> self.down, 255).astype(np.uint8)


@dataclass(frozen=True)
class Directions:
    """The last layer for torusN: adjacent rows share a scale, so that their two sums are a direction."""

    weights: npt.NDArray[np.int8]
    biases: npt.NDArray[np.int32]

    def __call__(self, numbers: Integers) -> npt.NDArray[np.uint8]:
        sums = row_sums(self.weights, numbers) + self.biases
        return direction_codes(sums[:, 0::2], sums[:, 1::2])


@dataclass(frozen=True)
class Overflows:
    """The last layer for torusC: a row's sum times its multiplier is an angle in 2^-32 turns; whole turns overflow."""

    weights: npt.NDArray[np.int8]
    biases: npt.NDArray[np.uint32]
    multipliers: npt.NDArray[np.uint32]

    def __call__(self, numbers: Integers) -> npt.NDArray[np.uint8]:
        sums = row_sums(self.weights, numbers).astype(np.uint32)
        return (sums * self.multipliers + self.biases >> np.uint32(24)).astype(np.uint8)


def row_sums(weights: npt.NDArray[np.int8], numbers: Integers) -> npt.NDArray[np.int64]:
    """Return weights times numbers, in float64, which is fastest and exact for whole numbers below 2^53."""
    return (numbers.astype(np.float64) @ weights.T.astype(np.float64)).astype(np.int64)


Layer = Hidden | Directions | Overflows
"""A function of integers [n, columns of the weights] to bytes: inputs of the next layer or, in the end, 8-bit codes."""
