"""The grid of data without a period: from the smallest to the largest number of each column, or around its mean."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

SIGMAS = {1: 1.6, 2: 1.99, 3: 2.34, 4: 2.68, 5: 3.01, 6: 3.33, 7: 3.64, 8: 3.94}
"""Half of the span, in standard deviations, of the equal steps that lose least of a normal distribution (Max, 1960)."""


class Range(NamedTuple):
    """Where the grid of each column begins and how far it reaches, in the data's own precision."""

    low: npt.NDArray[Any]
    span: npt.NDArray[Any]

    @classmethod
    def of(cls, columns: npt.NDArray[Any]) -> Range:
        low = columns.min(axis=0)
        return cls(low, columns.max(axis=0) - low)

    @classmethod
    def around(cls, columns: npt.NDArray[Any], bits: int) -> Range:
        """The range of the best equal steps of this many bits, if each column is normally distributed."""
        reach = (SIGMAS[bits] * columns.std(axis=0)).astype(columns.dtype)
        return cls(columns.mean(axis=0) - reach, 2 * reach)

    def levels(self, columns: npt.NDArray[Any], bits: int) -> npt.NDArray[np.uint8]:
        """Which of 2^bits equal steps of the range each number is on; beyond it, the first or the last."""
        steps = np.floor((columns - self.low) * 2**bits / np.where(self.span > 0, self.span, 1))
        return np.clip(steps, 0, 2**bits - 1).astype(np.uint8)
