"""A network in integers that gives the same codes here as on a microcontroller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes import check_bits
from hypertorus.export.layers import Directions, Layer
from hypertorus.export.stages import Columns
from hypertorus.export.statistics import Statistics


@dataclass(frozen=True)
class IntegerNetwork:
    """Layers of int8 weights, from inputs of one byte per number to torus codes.

    Inputs are pixels 0..255 or, if `signed`, vectors from `standardised`. With `columns` they are pictures of bytes,
    and the layers take what convolutions or statistics of bands make of these.

    >>> row = np.array([[127, 0], [0, 127]], np.int8)
    >>> network = IntegerNetwork((Directions(row, np.zeros(2, np.int32)),), signed=False)
    >>> network.encode(np.array([[255, 0], [9, 9], [0, 255]], np.uint8)).ravel()
    array([ 0, 32, 64], dtype=uint8)
    """

    layers: tuple[Layer, ...]
    signed: bool
    columns: Columns | Statistics | None = None

    @property
    def inputs(self) -> int:
        """Number of numbers in an input."""
        if self.columns is not None:
            return self.columns.bands * self.columns.frames
        return int(self.layers[0].weights.shape[1])

    @property
    def dim(self) -> int:
        """Number of coordinates of a code."""
        last = self.layers[-1]
        return len(last.weights) // 2 if isinstance(last, Directions) else len(last.weights)

    def encode(self, inputs: npt.NDArray[Any], bits: int = 8) -> npt.NDArray[np.uint8]:
        """Return the codes [n, dim] of inputs [n, numbers] or [n, *shape], of uint8 or, if signed, of int8."""
        dtype = np.int8 if self.signed else np.uint8
        if inputs.dtype != dtype or inputs.ndim < 2 or inputs[0].size != self.inputs:
            raise ValueError(
                f"inputs are {inputs.dtype} of shape {inputs.shape}; this network takes {self.inputs} numbers of "
                f"{np.dtype(dtype)} each."
            )
        numbers: npt.NDArray[Any] = inputs.reshape(len(inputs), self.inputs)
        return self._codes(numbers if self.columns is None else self.columns(numbers), bits)

    def stream(self, heard: npt.NDArray[np.uint8], bits: int = 8) -> npt.NDArray[np.uint8]:
        """Return the codes [n, moments, dim] of streams [n, bands, frames] of bytes, as `ht_stream_code` gives them.

        There is a code whenever a column leaves the convolutions, for a keyword network at every second frame.
        """
        if not isinstance(self.columns, Columns):
            raise ValueError(  # noqa: TRY004
                "this network has no convolutions along time; only those of keywords take streams."
            )
        sums = self.columns.stream(heard)
        return self._codes(sums.reshape(-1, sums.shape[2]), bits).reshape(*sums.shape[:2], self.dim)

    def _codes(self, numbers: npt.NDArray[Any], bits: int) -> npt.NDArray[np.uint8]:
        for layer in self.layers:
            numbers = layer(numbers)
        return numbers >> np.uint8(8 - check_bits(bits))


def standardised(vectors: npt.NDArray[Any], mean: npt.NDArray[Any], std: npt.NDArray[Any]) -> npt.NDArray[np.int8]:
    """Return vectors as a device takes them: deviations of each number from its mean, times 32, in -128..127.

    >>> standardised(np.array([[10.0, -2.0, 99.0]]), np.array([9.0, 0.0, 0.0]), np.array([1.0, 4.0, 9.0]))
    array([[ 32, -16, 127]], dtype=int8)
    """
    return np.clip(np.rint((vectors - mean) / std * VECTOR_UNIT), -128, 127).astype(np.int8)


VECTOR_UNIT = 32
"""Value of one standard deviation of a vector's number on a device."""
