"""Segments as the native core reads them: one C structure that is made once, so that a search is a single call."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import replace
from threading import local
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.search._library import METRICS, Asked, Store, StoreList, address, address_of, call, check, library
from hypertorus.search._rows import Shape
from hypertorus.search._segment import Segment

Rows = npt.NDArray[np.uint8]


class Stores:
    """Segments of one shape under one metric."""

    def __init__(self, shape: Shape, metric: int, segments: Sequence[Segment]) -> None:
        self._segments = segments  # whose memory the structure points to
        self._rows = [_centre_rows(segment, metric) for segment in segments]
        self._list = (Store * len(segments))(*map(_store, segments, self._rows))
        self._structure = StoreList(shape.dim, shape.bits, metric, len(segments), self._list)
        self._address = ctypes.addressof(self._structure)
        self._search, self._search_among = library().ht_search, library().ht_search_among
        self._bytes_of_one = self.scratch_bytes(1)

    def search(
        self, queries: Rows, k: int, asked: Asked | None = None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
        """Ids and distances [nq, k] of the nearest, in order; -1 and 2^32 - 1 where there are fewer."""
        nq = len(queries)
        ids, distances = np.empty((nq, k), np.int64), np.empty((nq, k), np.uint32)
        size = self._bytes_of_one if nq == 1 else self.scratch_bytes(nq)
        scratch = _memory.of(size)
        rows = address_of(queries) if queries.flags.writeable else queries.ctypes.data
        error = self._search(
            *(self._address, rows, nq, k, address_of(distances), address_of(ids), None),
            *(None if asked is None else ctypes.addressof(asked), scratch, size),
        )
        if error:
            check("ht_search", error)
        return ids, distances

    def search_among(
        self, among: npt.NDArray[np.int64], queries: Rows, k: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]] | None:
        """The same among a few ids; None if these do not ascend or are not all there."""
        nq = len(queries)
        ids, distances = np.empty((nq, k), np.int64), np.empty((nq, k), np.uint32)
        size = self._bytes_of_one if nq == 1 else self.scratch_bytes(nq)
        error = self._search_among(
            *(self._address, among.ctypes.data, len(among), queries.ctypes.data, nq, k),
            *(address_of(distances), address_of(ids), _memory.of(size), size),
        )
        return None if error else (ids, distances)

    def offer(self, queries: Rows, heaps: Sequence[npt.NDArray[Any]], asked: Asked | None = None) -> None:
        """Offer all codes to the heaps of the queries: distances, ids and counts."""
        asked_at = None if asked is None else ctypes.addressof(asked)
        size = self.scratch_bytes(len(queries), asked)
        nq, k = heaps[0].shape
        call("ht_search", self._address, queries, nq, k, *heaps, asked_at, _memory.of(size), size)

    def parts(self, query: Rows, radius: int) -> npt.NDArray[np.uint64]:
        """Ranges of positions [n, 2] of the only segment in which codes within the radius can lie."""
        cells = self._segments[0].cells
        parts = np.empty((1 + (0 if cells is None else len(cells)), 2), np.uint64)
        size = self._bytes_of_one
        found = call("ht_parts", self._address, query, radius, parts, np.empty(size, np.uint8), size)
        return parts[:found]

    def scratch_bytes(self, nq: int, asked: Asked | None = None) -> int:
        return call("ht_search_bytes", self._address, nq, None if asked is None else ctypes.addressof(asked))


class _Memory(local):
    """Memory of each thread that searches use again and again: fresh pages would take longer than a search."""

    def __init__(self) -> None:
        self._make(2**14)

    def of(self, size: int) -> int:
        """The address of memory of at least this size."""
        if size > self._size:
            self._make(size)
        return self._address

    def _make(self, size: int) -> None:
        self._array = np.empty(size, np.uint8)
        self._address, self._size = self._array.ctypes.data, size


_memory = _Memory()


def _store(segment: Segment, rows: npt.NDArray[Any] | None) -> Store:
    cells = segment.cells
    codes = (*map(address, (segment.blocks, segment.ids, segment.allowed_pages)), segment.count, int(segment.ascending))
    if cells is None:
        return Store(*codes)
    arrays = (cells.centres, rows, cells.ends, cells.reaches, cells.samples)
    return Store(*codes, cells.count, len(cells), *map(address, arrays))


def _centre_rows(segment: Segment, metric: int) -> npt.NDArray[Any] | None:
    """The centres once more, as rows or points, where the scan of stored codes gives no distances but bounds."""
    cells, shape = segment.cells, segment.shape
    if cells is None or shape.bits <= 2 or metric == METRICS["l1"]:
        return None
    rows = replace(segment, blocks=cells.centres).rows(np.arange(len(cells)))
    if metric == METRICS["l2"]:
        return rows
    points = np.empty((len(cells), 2 * shape.dim), np.int16)
    call("ht_points", rows, len(rows), shape.dim, shape.bits, points)
    return points
