"""The scan over segments: nearest neighbours and everything within a radius, by any number of threads.

Threads take pieces of the vectors, as they get to it, and keep the best of them in heaps of their own; where there are
too few vectors to share, they take batches of the queries. A heap holds the smallest by (distance, id) of all it was
offered, so the outcome never depends on who scanned what.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from hypertorus.files.progress import Progress
from hypertorus.files.threads import Step, share
from hypertorus.search._library import call
from hypertorus.search._rows import Shape
from hypertorus.search._segment import Segment

Rows = npt.NDArray[np.uint8]

NO_ID = -1
NO_DISTANCE = 2**32 - 1


Column = Callable[[npt.NDArray[np.int64]], npt.NDArray[Any]]
"""The value of a column for each of some ids."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Ids and distances, nearest first, ties by the lower id; where there are fewer than k, -1 and 2^32 - 1.

    `ids, distances = neighbours` takes it apart. Where the index has labels or names, so have the neighbours: they are
    looked up when they are first asked for.
    """

    ids: npt.NDArray[np.int64]
    distances: npt.NDArray[np.uint32]
    label_column: Column | None = field(default=None, repr=False)
    name_column: Column | None = field(default=None, repr=False)

    def __iter__(self) -> Iterator[npt.NDArray[Any]]:
        return iter((self.ids, self.distances))

    @cached_property
    def labels(self) -> npt.NDArray[Any] | None:
        """The label of each neighbour, or None in an index without labels; "" or -1 where there is no neighbour."""
        return self._column(self.label_column)

    @cached_property
    def names(self) -> npt.NDArray[np.str_] | None:
        """The name of each neighbour, or None in an index without names; "" where there is no neighbour."""
        return self._column(self.name_column)

    def _column(self, column: Column | None) -> npt.NDArray[Any] | None:
        if column is None:
            return None
        there = self.ids >= 0
        values = column(self.ids[there])
        whole = np.full(self.ids.shape, "" if values.dtype.kind == "U" else -1, values.dtype)
        whole[there] = values
        return whole


class Piece(NamedTuple):
    """Positions [first, last) of a segment."""

    segment: Segment
    first: int
    last: int


@dataclass(frozen=True)
class Scan:
    """A scan over segments of one shape under one metric."""

    shape: Shape
    metric: int
    segments: Sequence[Segment]

    def nearest(self, queries: Rows, k: int, threads: int, progress: Progress | None = None) -> Neighbours:
        """The k nearest of each packed query [nq, width]."""
        found = min(k, sum(segment.live for segment in self.segments))
        heaps = _Heaps.empty(len(queries), found)
        if found:
            threads = self._useful_threads(threads, len(queries))
            pieces = sum(1 for _ in self._pieces(len(queries), threads))
            split = self._by_positions if threads > 1 and pieces >= 4 * threads else self._by_queries
            split(queries, heaps, threads, progress)
            heaps.sort()
        missing = ((0, 0), (0, k - found))
        return Neighbours(
            np.pad(heaps.ids, missing, constant_values=NO_ID) if found < k else heaps.ids,
            np.pad(heaps.distances, missing, constant_values=NO_DISTANCE) if found < k else heaps.distances,
        )

    def within(self, queries: Rows, radius: int, threads: int) -> list[Neighbours]:
        """All that is no further than `radius` of each packed query [nq, width]."""
        found: list[list[Neighbours]] = [[] for _ in queries]
        tasks = deque((q, piece) for q in range(len(queries)) for piece in self._pieces(1, threads))
        threads = self._useful_threads(threads, len(queries))

        def work(step: Step) -> None:
            scratch = self._scratch(1)
            for q, piece in _taken(tasks):
                found[q].extend(_within(self, piece, queries[q], radius, scratch))
                step(piece.last - piece.first)

        share(work, threads, 0, None)
        return [_sorted(parts) for parts in found]

    def _by_queries(self, queries: Rows, heaps: _Heaps, threads: int, progress: Progress | None) -> None:
        most = max(4, min(1024, 2**22 // self.shape.width))
        size = min(most, -(-len(queries) // (2 * threads)) if threads > 1 else most)
        size = -(-size // 4) * 4  # the scan takes four queries at a time
        tasks = deque(range(0, len(queries), size))

        def work(step: Step) -> None:
            scratch = self._scratch(min(size, len(queries)))
            for begin in _taken(tasks):
                batch, own = queries[begin : begin + size], heaps.rows(begin, begin + size)
                for piece in self._pieces(len(batch), 1):
                    own.scan(self, piece, batch, scratch)
                    step((piece.last - piece.first) * len(batch))

        share(work, threads, self._pairs(len(queries)), progress)

    def _by_positions(self, queries: Rows, heaps: _Heaps, threads: int, progress: Progress | None) -> None:
        tasks = deque(self._pieces(len(queries), threads))
        merging = Lock()

        def work(step: Step) -> None:
            scratch = self._scratch(len(queries))
            own = _Heaps.empty(len(queries), heaps.distances.shape[1])
            for piece in _taken(tasks):
                own.scan(self, piece, queries, scratch)
                step((piece.last - piece.first) * len(queries))
            with merging:
                heaps.merge(own)

        share(work, threads, self._pairs(len(queries)), progress)

    def _pieces(self, nq: int, threads: int) -> Iterator[Piece]:
        """Ranges of positions, big enough to be worth a call and small enough to share and to interrupt."""
        per_vector = self.shape.block_bytes(1024) // 1024
        most = max(_SMALLEST_PIECE, _PIECE // nq)
        for segment in self.segments:
            size = min(most, segment.count * per_vector // (4 * threads)) if threads > 1 else most
            step = max(1, size // per_vector // 1024) * 1024
            for first in range(0, segment.count, step):
                yield Piece(segment, first, min(segment.count, first + step))

    def _useful_threads(self, threads: int, nq: int) -> int:
        """One for work that is over before a second thread has started."""
        work = nq * sum(segment.nbytes for segment in self.segments)
        return max(1, min(threads, work // _WORTH_A_THREAD))

    def _pairs(self, nq: int) -> int:
        return nq * sum(segment.count for segment in self.segments)

    def _scratch(self, nq: int) -> Rows:
        return np.empty(call("ht_scratch_bytes", self.shape.dim, self.shape.bits, nq), np.uint8)


_Task = TypeVar("_Task")


def _taken(tasks: deque[_Task]) -> Iterator[_Task]:
    """Tasks as long as there are any; each goes to one of the threads that take them."""
    while True:
        try:
            task = tasks.popleft()
        except IndexError:
            return
        yield task


_PIECE = 2**28
_SMALLEST_PIECE = 2**21
_WORTH_A_THREAD = 2**24  # bytes to compare: some milliseconds, against some tenths to start a thread


@dataclass(frozen=True)
class _Heaps:
    """For each query the k best so far, all zero of them to begin with."""

    distances: npt.NDArray[np.uint32]
    ids: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]

    @classmethod
    def empty(cls, nq: int, k: int) -> _Heaps:
        return cls(np.empty((nq, k), np.uint32), np.empty((nq, k), np.int64), np.zeros(nq, np.int64))

    def rows(self, begin: int, end: int) -> _Heaps:
        return _Heaps(self.distances[begin:end], self.ids[begin:end], self.counts[begin:end])

    def scan(self, scan: Scan, piece: Piece, queries: Rows, scratch: Rows) -> None:
        nq, k = self.distances.shape
        segment = piece.segment
        call(
            "ht_scan",
            *(segment.blocks, scan.shape.dim, scan.shape.bits, scan.metric, piece.first, piece.last),
            *(segment.ids, int(segment.ascending), segment.allowed),
            *(queries, nq, k, self.distances, self.ids, self.counts, scratch, scratch.size),
        )

    def merge(self, other: _Heaps) -> None:
        mine, theirs = (self.distances, self.ids, self.counts), (other.distances, other.ids, other.counts)
        call("ht_heap_merge", *mine, *theirs, *self.distances.shape)

    def sort(self) -> None:
        call("ht_heap_sort", self.distances, self.ids, self.counts, *self.distances.shape)


def _within(scan: Scan, piece: Piece, query: Rows, radius: int, scratch: Rows) -> Iterator[Neighbours]:
    segment, first, last = piece
    resume = np.array([first], np.uint64)
    while resume[0] < last:
        found = Neighbours(np.empty(_LISTED_AT_ONCE, np.int64), np.empty(_LISTED_AT_ONCE, np.uint32))
        count = call(
            "ht_within",
            *(segment.blocks, scan.shape.dim, scan.shape.bits, scan.metric, int(resume[0]), last),
            *(segment.ids, segment.allowed, query, radius, _LISTED_AT_ONCE),
            *(found.distances, found.ids, resume, scratch, scratch.size),
        )
        yield Neighbours(found.ids[:count].copy(), found.distances[:count].copy())


_LISTED_AT_ONCE = 2**14


def _sorted(parts: list[Neighbours]) -> Neighbours:
    ids = np.concatenate([part.ids for part in parts]) if parts else np.empty(0, np.int64)
    distances = np.concatenate([part.distances for part in parts]) if parts else np.empty(0, np.uint32)
    order = np.lexsort((ids, distances))
    return Neighbours(ids[order], distances[order])
