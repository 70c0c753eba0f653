"""Rows of a file that are read a piece at a time, so that the file may be larger than memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Rows:
    """Think of an array [n, ...] that stays in its file: its shape and dtype are known, and a slice of it is read.

    >>> rows = Rows.of(np.arange(12).reshape(6, 2))
    >>> rows.shape, rows[2:4].tolist()
    ((6, 2), [[4, 5], [6, 7]])
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    read: Callable[[int, int], Array]
    """`read(begin, end)` returns these rows as an array; asking for them in order is fastest."""

    @classmethod
    def of(cls, array: Array) -> Rows:
        """Return the rows of an array that is in memory, or mapped into it."""
        return cls(array.shape, array.dtype, lambda begin, end: array[begin:end])

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, part: slice) -> Array:
        begin, end, _ = part.indices(len(self))
        return self.read(begin, max(begin, end))

    def whole(self) -> Array:
        """Return all rows as one array."""
        return self.read(0, len(self))

    def slices(self) -> list[slice]:
        """Return slices that cover all rows, each of a few megabytes; of no rows, one that is empty."""
        row_bytes = max(1, int(np.prod(self.shape[1:], dtype=np.int64)) * self.dtype.itemsize)
        step = max(1, _BYTES_AT_ONCE // row_bytes)
        return [slice(begin, min(begin + step, len(self))) for begin in range(0, max(1, len(self)), step)]


_BYTES_AT_ONCE = 2**22


def joined(parts: Sequence[Rows]) -> Rows:
    """Return rows of the same width one after the other.

    >>> both = joined([Rows.of(np.arange(3)), Rows.of(np.arange(10, 13))])
    >>> both[1:5].tolist()
    [1, 2, 10, 11]
    """
    ends = list(accumulate(len(part) for part in parts))
    starts = [end - len(part) for end, part in zip(ends, parts, strict=True)]

    def read(begin: int, end: int) -> Array:
        return np.concatenate(
            [part[max(0, begin - start) : max(0, end - start)] for start, part in zip(starts, parts, strict=True)]
        )

    return Rows((ends[-1], *parts[0].shape[1:]), np.result_type(*(part.dtype for part in parts)), read)
