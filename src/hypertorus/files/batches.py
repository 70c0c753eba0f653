"""Rows that come in batches of the file's own choosing, read in pieces of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from hypertorus.files.rows import Array, Rows


def rows_of_batches(count: int, batches: Callable[[], Iterator[Array]]) -> Rows:
    """Return `count` rows that `batches()` yields from the first on, one array [some, dim] after the other.

    >>> rows = rows_of_batches(5, lambda: iter([np.arange(6).reshape(3, 2), np.arange(6, 10).reshape(2, 2)]))
    >>> rows.shape, rows[2:4].tolist(), rows[0:1].tolist()
    ((5, 2), [[4, 5], [6, 7]], [[0, 1]])
    """
    if count == 0:
        raise ValueError("it has no rows")
    cursor = _Cursor(batches)
    first = cursor.read(0, 1)

    def read(begin: int, end: int) -> Array:
        return cursor.read(begin, end) if begin < end else first[:0]

    return Rows((count, *first.shape[1:]), first.dtype, read)


class _Cursor:
    """Holds the batch that was read last; rows before it begin again at the first batch."""

    def __init__(self, batches: Callable[[], Iterator[Array]]) -> None:
        self._begin = batches
        self._shape: tuple[int, ...] | None = None
        self._rewind()

    def _rewind(self) -> None:
        self._batches, self._start, self._batch = self._begin(), 0, np.empty((0, 0))

    def read(self, begin: int, end: int) -> Array:
        if begin < self._start:
            self._rewind()
        parts: list[Array] = []
        while begin < end:
            part = self._batch[begin - self._start : end - self._start]
            if len(part) == 0:
                self._advance()
                continue
            parts.append(part)
            begin += len(part)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _advance(self) -> None:
        self._start += len(self._batch)
        batch = next(self._batches, None)
        if batch is None:
            raise ValueError(f"it has {self._start} rows, fewer than it says")
        self._shape = self._shape or batch.shape[1:]
        if len(batch) and batch.shape[1:] != self._shape:
            raise ValueError("its rows are lists of different lengths")
        self._batch = batch
