"""Asymmetric search: codes are rounded because they are stored; queries are not stored, and need not be.

A query of turns becomes a table of bytes for each coordinate, what each code costs it, and the search by tables does
the rest. `native/hypertorus_asymmetric.h` says what a byte is; a turn has 16 bits there, so the same query costs the
same on every machine, microcontrollers included.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes.grid import turns_in_range
from hypertorus.files.progress import Progress
from hypertorus.search._library import call
from hypertorus.search._neighbours import Neighbours
from hypertorus.search._rows import Shape
from hypertorus.search._scan import Rows
from hypertorus.search._tables import TableScan, table_shape
from hypertorus.spaces._arrays import namespace


def is_asymmetric(queries: Any, shape: Shape) -> bool:
    """Whether queries are turns that need not be rounded; at 8 bits rounding costs nothing, and codes are faster."""
    if shape.bits == 8:
        return False
    shape.check(queries, "queries")
    return bool(namespace(queries).isdtype(queries.dtype, "real floating"))


def nearest_to_turns(
    scan: TableScan, turns: Any, k: int, threads: int | None = None, progress: Progress | None = None
) -> Neighbours:
    """The k nearest of each query of turns [nq, dim]."""
    parts = []
    for begin, tables in _tables(turns, scan.shape, scan.metric):

        def searched(done: int, total: int, begin: int = begin, size: int = len(tables)) -> None:
            if progress:
                progress(begin * total + size * done, len(turns) * total)

        parts.append(scan.nearest(tables, k, threads, searched))
    ids, distances = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return Neighbours(ids, distances, asymmetric=True)


def within_of_turns(scan: TableScan, turns: Any, radius: int, threads: int | None = None) -> list[Neighbours]:
    """All that is no further than `radius` of each query of turns [nq, dim]."""
    found = []
    for _, tables in _tables(turns, scan.shape, scan.metric):
        found += scan.within(tables, radius, threads)
    for each in found:
        each.asymmetric = True
    return found


def _tables(turns: Any, shape: Shape, metric: int) -> Iterator[tuple[int, Rows]]:
    """Tables [some, nibbles, 16] one piece after the other, each with the query it begins at."""
    nibbles, entries = table_shape(shape)
    step = max(4, _BYTES_AT_ONCE // (nibbles * entries) // 4 * 4)
    for begin in range(0, len(turns), step):
        fine = _turns_u16(turns[begin : begin + step], begin)
        tables = np.empty((len(fine), nibbles, entries), np.uint8)
        call("ht_turn_tables", fine, len(fine), shape.dim, shape.bits, metric, tables)
        yield begin, tables


_BYTES_AT_ONCE = 2**24


def _turns_u16(turns: Any, first_row: int) -> npt.NDArray[np.uint16]:
    """Turns in units of 2^-16, rounded; a whole turn is none."""
    wide = turns_in_range(turns, "queries", first_row).astype(np.float64, copy=False)
    return (np.rint(wide * 65536).astype(np.int64) & 65535).astype(np.uint16)
