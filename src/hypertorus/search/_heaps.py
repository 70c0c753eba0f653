"""Results in the making: heaps of the nearest so far, and lists of what is within a radius."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.search._library import call
from hypertorus.search._neighbours import NO_DISTANCE, NO_ID, Neighbours
from hypertorus.search._rows import Shape
from hypertorus.search._segment import Segment

Rows = npt.NDArray[np.uint8]


class Piece(NamedTuple):
    """Positions [first, last) of a segment."""

    segment: Segment
    first: int
    last: int


@dataclass(frozen=True)
class Heaps:
    """For each query the k best so far, all zero of them to begin with."""

    distances: npt.NDArray[np.uint32]
    ids: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]

    @classmethod
    def empty(cls, nq: int, k: int) -> Heaps:
        return cls(np.empty((nq, k), np.uint32), np.empty((nq, k), np.int64), np.zeros(nq, np.int64))

    @property
    def k(self) -> int:
        return self.distances.shape[1]

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays)

    @property
    def arrays(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        return self.distances, self.ids, self.counts

    def rows(self, begin: int, end: int) -> Heaps:
        return Heaps(*(array[begin:end] for array in self.arrays))  # type: ignore[arg-type]

    def scan(self, metric: int, piece: Piece, queries: Rows, scratch: Rows) -> None:
        segment = piece.segment
        call(
            "ht_scan",
            *(segment.blocks, segment.shape.dim, segment.shape.bits, metric, piece.first, piece.last),
            *(segment.ids, int(segment.ascending), segment.allowed_pages),
            *(queries, *self.distances.shape, *self.arrays, scratch, scratch.size),
        )

    def merge(self, other: Heaps) -> None:
        call("ht_heap_merge", *self.arrays, *other.arrays, *self.distances.shape)

    def neighbours(self, k: int) -> Neighbours:
        """The k best in order; the heaps are none afterwards."""
        if self.k:
            call("ht_heap_sort", *self.arrays, *self.distances.shape)
        if self.k == k and np.all(self.counts == k):
            return Neighbours(self.ids, self.distances)
        filled = np.arange(k) < self.counts[:, None]
        ids = np.full((len(self.counts), k), NO_ID, np.int64)
        distances = np.full((len(self.counts), k), NO_DISTANCE, np.uint32)
        ids[filled], distances[filled] = self.ids[filled[:, : self.k]], self.distances[filled[:, : self.k]]
        return Neighbours(ids, distances)


@dataclass(frozen=True)
class Listed:
    """Room for what is listed at once, and the memory that takes."""

    ids: npt.NDArray[np.int64]
    distances: npt.NDArray[np.uint32]
    resume: npt.NDArray[np.uint64]
    scratch: Rows

    @classmethod
    def empty(cls, shape: Shape) -> Listed:
        scratch = np.empty(call("ht_scratch_bytes", shape.dim, shape.bits, 1), np.uint8)
        return cls(
            np.empty(_LISTED_AT_ONCE, np.int64), np.empty(_LISTED_AT_ONCE, np.uint32), np.zeros(1, np.uint64), scratch
        )

    def within(self, metric: int, piece: Piece, query: Rows, radius: int) -> Iterator[Neighbours]:
        segment, position, last = piece
        while position < last:
            count = call(
                "ht_within",
                *(segment.blocks, segment.shape.dim, segment.shape.bits, metric, position, last),
                *(segment.ids, segment.allowed_pages, query, radius, len(self.ids)),
                *(self.distances, self.ids, self.resume, self.scratch, self.scratch.size),
            )
            position = int(self.resume[0])
            if count:
                yield Neighbours(self.ids[:count].copy(), self.distances[:count].copy())


_LISTED_AT_ONCE = 2**14


def sorted_neighbours(parts: list[Neighbours]) -> Neighbours:
    if not parts:
        return Neighbours(np.empty(0, np.int64), np.empty(0, np.uint32))
    ids, distances = parts[0]
    if len(parts) > 1:
        ids = np.concatenate([part.ids for part in parts])
        distances = np.concatenate([part.distances for part in parts])
    order = np.lexsort((ids, distances))
    return Neighbours(ids[order], distances[order])
