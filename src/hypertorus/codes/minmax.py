"""The grid of data without a period: from the smallest to the largest number of each column."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class Range(NamedTuple):
    """The smallest number of each column and how far it is from there to the largest, in the data's own precision."""

    low: npt.NDArray[Any]
    span: npt.NDArray[Any]

    @classmethod
    def of(cls, columns: npt.NDArray[Any]) -> Range:
        low = columns.min(axis=0)
        return cls(low, columns.max(axis=0) - low)

    def levels(self, columns: npt.NDArray[Any], bits: int) -> npt.NDArray[np.uint8]:
        """Which of 2^bits equal steps of the range each number is on; beyond it, the first or the last."""
        steps = np.floor((columns - self.low) * 2**bits / np.where(self.span > 0, self.span, 1))
        return np.clip(steps, 0, 2**bits - 1).astype(np.uint8)
