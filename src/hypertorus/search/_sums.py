"""A sum of table entries for every code of an index, in one scan: scores of classifiers that are linear in tables."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.files.threads import Step, share, thread_count
from hypertorus.search._library import call
from hypertorus.search._rows import Shape
from hypertorus.search._segment import Segment

_PIECE = 2**16
_LARGEST_SUM = 2**31 - 1


def check_sum_tables(tables: Any, shape: Shape) -> npt.NDArray[np.int64]:
    """Tables [m, dim, 2^bits] of whole numbers whose sums fit 32 bits."""
    given = np.asarray(tables)
    if given.ndim != 3 or given.shape[1:] != (shape.dim, 2**shape.bits) or len(given) == 0:
        raise ValueError(
            f"tables has shape {given.shape}; pass [tables, {shape.dim}, {2**shape.bits}], at least one of them."
        )
    if given.dtype.kind not in "iu":
        raise TypeError(f"tables holds {given.dtype}; pass whole numbers.")
    given = given.astype(np.int64)
    if np.abs(given).max(axis=2).sum(axis=1).max() > _LARGEST_SUM:
        raise ValueError("tables has sums beyond 2^31 - 1, which do not fit 32 bits; scale the tables down.")
    return given


def sums_of(
    segments: Sequence[Segment], shape: Shape, tables: npt.NDArray[np.int64], threads: int | None
) -> npt.NDArray[np.int32]:
    """The sums [m, n] of checked tables over the codes that count, in the order of adding."""
    by_bytes = _by_bytes(tables, shape)
    scanned = [np.empty((len(tables), segment.count), np.int32) for segment in segments]
    tasks = deque(
        (place, table, first)
        for place, segment in enumerate(segments)
        for first in range(0, segment.count, _PIECE)
        for table in range(len(tables))
    )

    def work(step: Step) -> None:
        while True:
            try:
                place, table, first = tasks.popleft()
            except IndexError:
                return
            segment, last = segments[place], min(first + _PIECE, segments[place].count)
            into = scanned[place][table, first:last]
            call("ht_sums", segment.blocks, shape.dim, shape.bits, first, last, by_bytes[table], into)
            step(1)

    share(work, min(thread_count(threads), max(1, len(tasks))), len(tasks), None)
    sums = np.empty((len(tables), sum(segment.live for segment in segments)), np.int32)
    begin = 0
    for segment, of_segment in zip(segments, scanned, strict=True):
        plain = segment.allowed is None and segment.cells is None
        sums[:, begin : begin + segment.live] = of_segment if plain else of_segment[:, segment.positions()]
        begin += segment.live
    return sums


def _by_bytes(tables: npt.NDArray[np.int64], shape: Shape) -> npt.NDArray[np.int32]:
    """Tables [m, width, 256] by the bytes of packed codes: entries of the coordinates that share a byte, added up."""
    in_one = 8 // shape.bits
    padded = np.pad(tables, ((0, 0), (0, -shape.dim % in_one), (0, 0)))
    grouped = padded.reshape(len(tables), shape.width, in_one, -1)
    byte = np.arange(256)
    parts = [grouped[:, :, place, byte >> (place * shape.bits) & (2**shape.bits - 1)] for place in range(in_one)]
    return np.ascontiguousarray(sum(parts), np.int32)
