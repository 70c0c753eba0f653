"""The search of segments: nearest neighbours and everything within a radius, by any number of threads.

A search that is over before a second thread has started is a single call of the native core. Of larger ones, threads
take pieces of the vectors, as they get to it, and keep the best of them in heaps of their own; where there are too few
vectors to share, or cells that make few of many, they take batches of the queries. A heap holds the smallest by
(distance, id) of all it was offered, so the outcome never depends on who scanned what.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from hypertorus.files.progress import Progress
from hypertorus.files.threads import Step, share, thread_count
from hypertorus.search._heaps import Heaps, Listed, Piece, sorted_neighbours
from hypertorus.search._library import Asked, call
from hypertorus.search._neighbours import NO_DISTANCE, Neighbours
from hypertorus.search._passes import TwoPasses
from hypertorus.search._rows import Shape
from hypertorus.search._segment import Segment
from hypertorus.search._stores import Stores

Rows = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Scan:
    """A search of segments of one shape under one metric."""

    shape: Shape
    metric: int
    segments: Sequence[Segment]

    def nearest(
        self, queries: Rows, k: int, threads: int | None = None, progress: Progress | None = None
    ) -> Neighbours:
        """The k nearest of each packed query [nq, width]; `threads` is all cores unless given."""
        if len(queries) <= self._most_at_once:
            return Neighbours(*self._stores.search(queries, k))
        heaps = Heaps.empty(len(queries), min(k, self._live))
        if self._plain:
            self._scan_plain(queries, heaps, threads, progress)
        if self._coarse:
            self._scan_coarse(self._coarse, queries, heaps, threads, progress)
        if self._arranged:
            self._scan_cells(self._cells, queries, heaps, threads, progress)
        return heaps.neighbours(k)

    def reranked(
        self, queries: Rows, k: int, most: int, threads: int | None = None, progress: Progress | None = None
    ) -> Neighbours:
        """The nearest among the `most` codes of each segment whose coarse parts are nearest; 0: among all codes."""
        proved = np.ones(len(queries), bool)
        if not most or any(segment.coarse is None for segment in self.segments):
            found = self.nearest(queries, k, threads, progress)
            found.proved = proved
            return found
        heaps = Heaps.empty(len(queries), min(k, self._live))
        if heaps.k:
            self._scan_coarse(list(self.segments), queries, heaps, threads, progress, most, proved)
        found = heaps.neighbours(k)
        found.proved = proved
        return found

    def approximate(
        self, queries: Rows, k: int, most_cells: int, threads: int | None = None, progress: Progress | None = None
    ) -> Neighbours:
        """The nearest in the `most_cells` nearest cells of each query, and among what lies in no cell."""
        heaps = Heaps.empty(len(queries), min(k, self._live))
        proved = np.ones(len(queries), np.uint8)
        if heaps.k:
            stores = Stores(self.shape, self.metric, self.segments)
            self._scan_cells(stores, queries, heaps, threads, progress, most_cells, proved)
        found = heaps.neighbours(k)
        found.proved = proved.view(bool)
        return found

    def looked_at(self, queries: Rows, k: int) -> int:
        """How many pairs of query and code a search looks at that passes over what its cells allow."""
        heaps, asked = Heaps.empty(len(queries), k), Asked()
        Stores(self.shape, self.metric, self.segments).offer(queries, heaps.arrays, asked)
        return int(asked.looked_at)

    def within(self, queries: Rows, radius: int, threads: int | None = None) -> list[Neighbours]:
        """All that is no further than `radius` of each packed query [nq, width]."""
        if len(queries) <= self._most_at_once:
            few = self._stores.search(queries, _FEW, Asked(radius=radius))
            return [self._few_within(query, radius, *row) for query, *row in zip(queries, *few, strict=True)]
        found: list[list[Neighbours]] = [[] for _ in queries]
        threads = self._useful_threads(threads, len(queries), self._cost)
        plain = [(q, piece) for q in range(len(queries)) for piece in self._pieces(1, threads, self._others)]
        tasks: deque[tuple[int, Piece | Segment]] = deque(plain)
        tasks.extend((q, segment) for q in range(len(queries)) for segment in self._arranged)

        def work(step: Step) -> None:
            room = self._room()
            for q, task in _taken(tasks):
                pieces = (task,) if isinstance(task, Piece) else self._parts(task, queries[q], radius)
                for piece in pieces:
                    found[q].extend(room.within(self.metric, piece, queries[q], radius))
                    step(piece.last - piece.first)

        share(work, threads, 0, None)
        return [sorted_neighbours(parts) for parts in found]

    def among(self, ids: npt.NDArray[np.int64], queries: Rows, k: int) -> Neighbours | None:
        """The k nearest among a few ids, if these ascend and are there, and those of segments ascend; else None."""
        if len(ids) * len(queries) > _FEW_PAIRS or not all(segment.ascending for segment in self.segments):
            return None
        found = self._stores.search_among(ids, queries, k)
        return None if found is None else Neighbours(*found)

    def _few_within(
        self, query: Rows, radius: int, ids: npt.NDArray[np.int64], distances: npt.NDArray[np.uint32]
    ) -> Neighbours:
        """What of the nearest few is within the radius; if all of them are, there may be more, and all are listed."""
        if ids[-1] < 0:
            count = int(np.searchsorted(distances, NO_DISTANCE))
            return Neighbours(ids[:count].copy(), distances[:count].copy())
        room = Listed.empty(self.shape)
        pieces = [Piece(segment, 0, segment.count) for segment in self.segments]
        return sorted_neighbours([part for piece in pieces for part in room.within(self.metric, piece, query, radius)])

    @cached_property
    def _arranged(self) -> list[Segment]:
        """The segments whose cells pay."""
        return [segment for segment in self.segments if segment.cells is not None and segment.cells.pays]

    @cached_property
    def _plain(self) -> list[Segment]:
        """Those that are scanned, as if they had no cells."""
        return [segment for segment in self._others if not _is_coarse(segment)]

    @cached_property
    def _coarse(self) -> list[Segment]:
        """Those whose coarse parts pay."""
        return [segment for segment in self._others if _is_coarse(segment)]

    @cached_property
    def _others(self) -> list[Segment]:
        """The segments without cells that pay, as if they had none."""
        others = (segment for segment in self.segments if segment.cells is None or not segment.cells.pays)
        return [segment if segment.cells is None else replace(segment, cells=None) for segment in others]

    @cached_property
    def _stores(self) -> Stores:
        return Stores(self.shape, self.metric, (*self._others, *self._arranged))

    @cached_property
    def _cells(self) -> Stores:
        return Stores(self.shape, self.metric, self._arranged)

    @cached_property
    def _live(self) -> int:
        return sum(segment.live for segment in self.segments)

    @cached_property
    def _cost(self) -> int:
        """Bytes that a query is compared with."""
        plain = sum(segment.nbytes for segment in self._others)
        return plain + sum(segment.cost for segment in self._arranged)

    def _scan_plain(self, queries: Rows, heaps: Heaps, threads: int | None, progress: Progress | None) -> None:
        threads = self._useful_threads(threads, len(queries), sum(segment.nbytes for segment in self._plain))
        pieces = sum(1 for _ in self._pieces(len(queries), threads))
        shared = threads > 1 and pieces >= 4 * threads and threads * heaps.nbytes <= _HEAPS
        split = self._by_positions if shared else self._by_queries
        split(queries, heaps, threads, progress)

    def _by_queries(self, queries: Rows, heaps: Heaps, threads: int, progress: Progress | None) -> None:
        size = _batch(len(queries), threads, self._most_queries)
        tasks = deque(range(0, len(queries), size))

        def work(step: Step) -> None:
            scratch = self._scratch(min(size, len(queries)))
            for begin in _taken(tasks):
                batch, own = queries[begin : begin + size], heaps.rows(begin, begin + size)
                for piece in self._pieces(len(batch), 1):
                    self._offer(own, piece, batch, scratch)
                    step((piece.last - piece.first) * len(batch))

        share(work, threads, self._pairs(len(queries)), progress)

    def _by_positions(self, queries: Rows, heaps: Heaps, threads: int, progress: Progress | None) -> None:
        tasks = deque(self._pieces(len(queries), threads))
        merging = Lock()

        def work(step: Step) -> None:
            scratch = self._scratch(len(queries))
            own = Heaps.empty(len(queries), heaps.k)
            for piece in _taken(tasks):
                self._offer(own, piece, queries, scratch)
                step((piece.last - piece.first) * len(queries))
            with merging:
                heaps.merge(own)

        share(work, threads, self._pairs(len(queries)), progress)

    def _scan_cells(
        self,
        stores: Stores,
        queries: Rows,
        heaps: Heaps,
        threads: int | None,
        progress: Progress | None,
        most_cells: int = 0,
        proved: Rows | None = None,
    ) -> None:
        threads = self._useful_threads(threads, len(queries), sum(segment.cost for segment in self._arranged))
        size = _batch(len(queries), threads, _CELL_BATCH)
        tasks = deque(range(0, len(queries), size))

        def work(step: Step) -> None:
            for begin in _taken(tasks):
                batch, own = queries[begin : begin + size], heaps.rows(begin, begin + size)
                asked = Asked(most_cells, None if proved is None else proved[begin:].ctypes.data)
                stores.offer(batch, own.arrays, asked)
                step(len(batch))

        share(work, threads, len(queries), progress)

    def _scan_coarse(
        self,
        segments: list[Segment],
        queries: Rows,
        heaps: Heaps,
        threads: int | None,
        progress: Progress | None,
        most: int = 0,
        proved: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        """In two passes; threads take batches of the queries."""
        bytes_read = sum(s.coarse.facts.block_bytes(s.count) for s in segments if s.coarse is not None)
        threads = self._useful_threads(threads, len(queries), bytes_read)
        size = max(1, min(_COARSE_BATCH, len(queries) // (2 * threads)))
        tasks, search = deque(range(0, len(queries), size)), TwoPasses(segments, self.metric)

        def work(step: Step) -> None:
            for begin in _taken(tasks):
                batch, own = queries[begin : begin + size], heaps.rows(begin, begin + size)
                exact, _ = search.offer(batch, own, most)
                if proved is not None:
                    proved[begin : begin + size] = exact
                step(len(batch))

        share(work, threads, len(queries), progress)

    def _pieces(self, nq: int, threads: int, segments: Sequence[Segment] | None = None) -> Iterator[Piece]:
        """Ranges of positions, big enough to be worth a call and small enough to share and to interrupt."""
        per_vector = self.shape.block_bytes(1024) // 1024
        most = max(_SMALLEST_PIECE, _PIECE // nq)
        for segment in self._plain if segments is None else segments:
            size = min(most, segment.count * per_vector // (4 * threads)) if threads > 1 else most
            step = max(1, size // per_vector // 1024) * 1024
            for first in range(0, segment.count, step):
                yield Piece(segment, first, min(segment.count, first + step))

    def _parts(self, segment: Segment, query: Rows, radius: int) -> Iterator[Piece]:
        for first, last in self._cells.parts(query, radius).tolist():
            yield Piece(segment, first, last)

    def _useful_threads(self, threads: int | None, nq: int, cost: int) -> int:
        """One for work that is over before a second thread has started."""
        useful = nq * cost // _WORTH_A_THREAD
        return 1 if useful <= 1 else min(thread_count(threads), useful)

    def _pairs(self, nq: int) -> int:
        return nq * sum(segment.count for segment in self._plain)

    @property
    def _most_at_once(self) -> int:
        """How many queries are a single call that neither reports nor can be interrupted."""
        return _AT_ONCE // max(1, self._cost)

    @property
    def _most_queries(self) -> int:
        """How many queries a thread scans for together."""
        return max(4, min(1024, 2**22 // self.shape.width))

    def _offer(self, heaps: Heaps, piece: Piece, queries: Rows, scratch: Rows) -> None:
        heaps.scan(self.metric, piece, queries, scratch)

    def _room(self) -> Listed:
        return Listed.empty(self.shape)

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


def _is_coarse(segment: Segment) -> bool:
    return segment.coarse is not None and segment.coarse.facts.pays(segment.shape)


def _batch(nq: int, threads: int, most: int) -> int:
    """How many queries make a task: a multiple of the four that are scanned together, two tasks a thread."""
    size = min(most, -(-nq // (2 * threads)) if threads > 1 else most)
    return -(-size // 4) * 4


_FEW = 64  # neighbours within a radius that are kept at once
_FEW_PAIRS = 2**12  # of query and code that are compared one by one
_PIECE = 2**28
_SMALLEST_PIECE = 2**21
_CELL_BATCH = 256
_COARSE_BATCH = 16
_HEAPS = 2**26  # bytes that the heaps of all threads may take
_AT_ONCE = 2**22  # bytes to compare in a call that neither reports nor can be interrupted: a millisecond
_WORTH_A_THREAD = 2**24  # bytes to compare: some milliseconds, against some tenths to start a thread
