"""Statistics of bands in integers, equal bit for bit to `native/hypertorus_statistics.h`, for the encoder `bands`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

MOST_FRAMES = 255
"""Frames of a window whose squares 32 bits hold, times the number of frames."""


@dataclass(frozen=True)
class Statistics:
    """The front of a network: a picture of bytes [bands, frames] to three numbers a band, times the number of frames.

    >>> Statistics(bands=1, frames=4)(np.array([[0, 0, 10, 10]], np.uint8))
    array([[20, 20, 40]], dtype=uint16)
    """

    bands: int
    frames: int

    @property
    def features(self) -> int:
        return 3 * self.bands

    def __call__(self, pictures: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint16]:
        """Return the sums, deviations and largest bytes [n, 3 x bands] of pictures [n, bands x frames]."""
        numbers = pictures.reshape(len(pictures), self.bands, self.frames).astype(np.int64)
        sums = numbers.sum(axis=2)
        # A root of float64 is exact where the square is a whole number of 32 bits, and never too small elsewhere.
        deviations = np.sqrt(self.frames * (numbers**2).sum(axis=2) - sums**2).astype(np.int64)
        largest = self.frames * numbers.max(axis=2)
        return np.concatenate([sums, deviations, largest], axis=1).astype(np.uint16)
