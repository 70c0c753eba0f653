"""Convolutions in integers, column by column, equal bit for bit to `native/hypertorus_convolutions.h`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.export.kernel import Kernel
from hypertorus.export.layers import Hidden, Integers

AT_ONCE = 128
"""Number of pictures that are computed at once, to limit memory."""


@dataclass(frozen=True)
class Stage:
    """A convolution with a ReLU; the rows of `hidden` are the channels that leave.

    With `each` every channel has a kernel of its own. With `residuals` the numbers that came into the stage before are
    added to the sums, times a factor for each channel.
    """

    kernel: Kernel
    hidden: Hidden
    each: bool = False
    residuals: npt.NDArray[np.uint16] | None = None

    def __call__(self, columns: Integers, before: Integers) -> npt.NDArray[np.uint8]:
        """Return columns [n, columns, places, channels]; `before` are those that came into the stage before."""
        sums = kernel_sums(self.kernel.below(columns, each=self.each), self.hidden.weights, each=self.each)
        if self.residuals is not None:
            sums = sums + before.astype(np.int64) * self.residuals
        return self.hidden.bytes(sums.astype(np.int64))


def kernel_sums(below: Integers, weights: npt.NDArray[Any], *, each: bool) -> npt.NDArray[Any]:
    """Return the weights [outputs, numbers] times the numbers below a kernel, in float64, exact for whole numbers."""
    numbers, factors = below.astype(np.float64), weights.astype(np.float64)
    return np.einsum("...cn,cn->...c", numbers, factors) if each else numbers @ factors.T


@dataclass(frozen=True)
class Columns:
    """The convolutional part of a network: a picture of bytes [bands, frames] to the sum over time of each feature."""

    stages: tuple[Stage, ...]
    frames: int

    @property
    def bands(self) -> int:
        return self.stages[0].kernel.places

    @property
    def features(self) -> int:
        return len(self.stages[-1].hidden.weights)

    @property
    def moments(self) -> int:
        """Number of columns that leave the last stage."""
        moments = self.frames
        for stage in self.stages:
            moments = stage.kernel.out_columns(moments)
        return moments

    @property
    def delay(self) -> int:
        """Number of frames that have to follow a frame in a stream before the column above it can leave."""
        frames, apart = 0, 1
        for kernel in (stage.kernel for stage in self.stages):
            frames += apart * (kernel.size[1] - 1 - kernel.padding[1])
            apart *= kernel.stride[1]
        return frames

    def __call__(self, pictures: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint16]:
        """Return the sums [n, features] of pictures [n, bands x frames]."""
        parts = [self._sums(pictures[first : first + AT_ONCE]) for first in range(0, len(pictures), AT_ONCE)]
        return np.concatenate(parts)

    def stream(self, pictures: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint16]:
        """Return the sums [n, columns, features] as columns leave, of streams [n, bands, frames] of any equal length.

        Before a stream there is padding, and after it nothing, so the last frames wait for others to come. The sums are
        over as many columns as a window has; those from before the beginning are 0.
        """
        if pictures.ndim != 3 or pictures.shape[1] != self.bands:
            raise ValueError(f"streams have shape {pictures.shape}; they are [n, {self.bands} bands, frames].")
        columns = before = as_columns(pictures, self.bands, pictures.shape[2])
        for stage in self.stages:
            left = stage.kernel.in_time(columns.shape[1])
            if left == 0:
                return np.empty((len(pictures), 0, self.features), np.uint16)
            columns, before = stage(columns, before)[:, :left], columns[:, :left]
        summed = np.pad(columns.sum(axis=2, dtype=np.uint16).cumsum(axis=1), ((0, 0), (self.moments, 0), (0, 0)))
        return (summed[:, self.moments :] - summed[:, : -self.moments]).astype(np.uint16)

    def _sums(self, pictures: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint16]:
        columns = before = as_columns(pictures, self.bands, self.frames)
        for stage in self.stages:
            columns, before = stage(columns, before), columns
        return columns.sum(axis=(1, 2), dtype=np.uint16)


def as_columns(pictures: npt.NDArray[Any], bands: int, frames: int) -> npt.NDArray[Any]:
    """Return pictures [n, bands x frames] as columns [n, frames, bands, 1]."""
    return pictures.reshape(len(pictures), bands, frames).transpose(0, 2, 1)[..., None]
