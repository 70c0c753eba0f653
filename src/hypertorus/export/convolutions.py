"""Convolutions in floats, quantised to stages in integers: 8-bit weights with a scale per channel, bytes in between.

The scale of the numbers between two stages is set by the largest that training inputs give, as for linear layers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.export.kernel import Kernel
from hypertorus.export.network import IntegerNetwork
from hypertorus.export.quantise import Dense, check_room, hidden_layer, integer_network
from hypertorus.export.stages import AT_ONCE, Columns, Stage, as_columns, kernel_sums

Floats = npt.NDArray[np.float64]

_MOST_MOMENTS = 257
"""Bytes of which a 16-bit number holds the sum."""


@dataclass(frozen=True)
class Convolution:
    """A convolution in floats: weights [outputs, numbers below the kernel], in the order of `Kernel.below`, and biases.

    With `each` every channel has a kernel of its own; with `residual` the numbers that came into the convolution before
    are added. A ReLU follows.
    """

    kernel: Kernel
    dense: Dense
    each: bool = False
    residual: bool = False

    def __call__(self, columns: npt.NDArray[Any], before: npt.NDArray[Any]) -> Floats:
        sums = kernel_sums(self.kernel.below(columns, each=self.each), self.dense.weights, each=self.each)
        return np.maximum(sums + self.dense.biases + (before if self.residual else 0.0), 0)


def convolutional_network(
    convolutions: list[Convolution], frames: int, head: list[Dense], space: str, inputs: npt.NDArray[np.uint8]
) -> IntegerNetwork:
    """Return an integer network of convolutions, a mean over time, and the linear layers of a head.

    `inputs` are training pictures [n, bands x frames], which show how large numbers become. The first layer of the head
    takes sums over time, of 16 bits, so that the mean is exact.
    """
    columns, scale = integer_columns(convolutions, frames, inputs)
    if columns.moments > _MOST_MOMENTS:
        raise ValueError(
            f"windows of {frames} frames have {columns.moments} columns, and the sum over time holds {_MOST_MOMENTS}; "
            "train with shorter windows or a longer hop."
        )
    first, *others = head
    first = Dense(first.weights * (scale / columns.moments), first.biases)
    network = integer_network([first, *others], space, columns(inputs), 255 * columns.moments)
    return replace(network, columns=columns)


def integer_columns(
    convolutions: list[Convolution], frames: int, inputs: npt.NDArray[np.uint8]
) -> tuple[Columns, float]:
    """Return the stages in integers, and the scale of what leaves the last."""
    scales, stages = [1.0], list[Stage]()
    for convolution, largest in zip(convolutions, _largest(convolutions, frames, inputs), strict=True):
        residual = scales[-2] if convolution.residual else None
        scaled = hidden_layer(convolution.dense, scales[-1], largest, residual)
        added = 0 if scaled.factors is None else 255 * scaled.factors.astype(np.int64)
        check_room(scaled.hidden.weights, np.abs(scaled.hidden.biases.astype(np.int64)) + added, 255)
        stages.append(Stage(convolution.kernel, scaled.hidden, convolution.each, scaled.factors))
        scales.append(scaled.scale)
    return Columns(tuple(stages), frames), scales[-1]


def _largest(convolutions: list[Convolution], frames: int, inputs: npt.NDArray[np.uint8]) -> Floats:
    """Return the largest number that leaves each convolution."""
    bands, largest = convolutions[0].kernel.places, np.zeros(len(convolutions))
    for first in range(0, len(inputs), AT_ONCE):
        columns = before = as_columns(inputs[first : first + AT_ONCE], bands, frames).astype(np.float64)
        for number, convolution in enumerate(convolutions):
            columns, before = convolution(columns, before), columns
            largest[number] = max(largest[number], columns.max())
    return largest
