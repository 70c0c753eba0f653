"""The search by tables: a query is not a code, but says what each nibble of a code costs.

Whatever is a sum over groups of at most four bits can be searched so, exactly; `native/tables.h` says how. Codes in
cells or with coarse parts are scanned like all others, for their bounds are those of a metric.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.search._heaps import Heaps, Listed, Piece
from hypertorus.search._library import call
from hypertorus.search._neighbours import Neighbours
from hypertorus.search._rows import Shape, check_unmasked
from hypertorus.search._scan import Rows, Scan
from hypertorus.search._segment import Segment
from hypertorus.spaces._arrays import namespace, to_numpy


def table_shape(shape: Shape) -> tuple[int, int]:
    """The shape of the tables of one query: one of 16 bytes for each nibble of a packed code."""
    return -(-shape.dim * shape.bits // 4), 16


def check_tables(tables: Any, shape: Shape) -> Rows:
    """Tables [m, nibbles, 16] as the native core reads them."""
    if shape.bits == 8:
        raise ValueError("the index has 8 bits, and tables are for codes of 4, 2 or 1; search it by codes.")
    check_unmasked(tables, "tables")
    if namespace(tables) is None:
        raise TypeError(f"tables is a {type(tables).__name__}; pass a numpy array or a torch tensor.")
    given = to_numpy(tables)
    if given.dtype != np.uint8:
        raise TypeError(f"tables holds {given.dtype}; pass uint8.")
    if given.shape[1:] != table_shape(shape) or len(given) == 0:
        nibbles, entries = table_shape(shape)
        raise ValueError(
            f"tables has shape {given.shape}; pass [queries, {nibbles}, {entries}], of at least one query."
        )
    return np.ascontiguousarray(given)


class TableScan(Scan):
    """A search of segments in which queries are tables [nq, nibbles, 16]."""

    @cached_property
    def _arranged(self) -> list[Segment]:
        return []

    @cached_property
    def _others(self) -> list[Segment]:
        return self._plain

    @cached_property
    def _coarse(self) -> list[Segment]:
        return []

    @cached_property
    def _plain(self) -> list[Segment]:
        return [segment if segment.cells is None else replace(segment, cells=None) for segment in self.segments]

    @property
    def _most_queries(self) -> int:
        return max(4, min(256, 2**19 // self.shape.width))

    @property
    def _most_at_once(self) -> int:
        return 0  # a call is a piece of one segment

    def _offer(self, heaps: Heaps, piece: Piece, queries: Rows, scratch: Rows) -> None:
        segment = piece.segment
        call(
            "ht_scan_tables",
            *(segment.blocks, segment.shape.dim, segment.shape.bits, piece.first, piece.last),
            *(segment.ids, int(segment.ascending), segment.allowed_pages),
            *(queries, *heaps.distances.shape, *heaps.arrays, scratch, scratch.size),
        )

    def _room(self) -> Listed:
        return _ListedByTables.empty(self.shape)

    def _scratch(self, nq: int) -> Rows:
        return _scratch(self.shape, nq)


class _ListedByTables(Listed):
    """Room for what is listed at once by tables."""

    @classmethod
    def empty(cls, shape: Shape) -> Listed:
        room = Listed.empty(shape)
        return cls(room.ids, room.distances, room.resume, _scratch(shape, 1))

    def within(self, metric: int, piece: Piece, query: Rows, radius: int) -> Iterator[Neighbours]:
        del metric  # which the tables stand for
        segment, position, last = piece
        while position < last:
            count = call(
                "ht_within_tables",
                *(segment.blocks, segment.shape.dim, segment.shape.bits, position, last),
                *(segment.ids, segment.allowed_pages, query, radius, len(self.ids)),
                *(self.distances, self.ids, self.resume, self.scratch, self.scratch.size),
            )
            position = int(self.resume[0])
            if count:
                yield Neighbours(self.ids[:count].copy(), self.distances[:count].copy())


def _scratch(shape: Shape, nq: int) -> npt.NDArray[np.uint8]:
    return np.empty(call("ht_tables_bytes", shape.dim, shape.bits, nq), np.uint8)
