"""The search in two passes: the coarse part of every code, and then the codes that it cannot rule out."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hypertorus.search._heaps import Heaps
from hypertorus.search._library import CoarseStore, address, call
from hypertorus.search._segment import Segment

Rows = npt.NDArray[np.uint8]


class TwoPasses:
    """Segments with a coarse part, under one metric."""

    def __init__(self, segments: Sequence[Segment], metric: int) -> None:
        self._segments = segments  # whose memory the structures point to
        self._stores = [_store(segment, metric) for segment in segments]

    def offer(self, queries: Rows, heaps: Heaps, rerank: int = 0) -> tuple[npt.NDArray[np.bool_], int]:
        """Offer all codes to heaps, or, of each segment, the `rerank` best of the first pass.

        Returns which queries have lost nothing by that, and how many distances were computed.
        """
        exact, looked_at = np.ones(len(queries), bool), 0
        for store in self._stores:
            proved, looked = np.empty(len(queries), np.uint8), np.empty(len(queries), np.uint64)
            size = call("ht_coarse_search_bytes", ctypes.addressof(store), heaps.k, rerank)
            call(
                "ht_coarse_search",
                *(ctypes.addressof(store), queries, len(queries), heaps.k, rerank, *heaps.arrays),
                *(proved, looked, np.empty(size, np.uint8), size),
            )
            exact &= proved.view(bool)
            looked_at += int(looked.sum())
        return exact, looked_at


def _store(segment: Segment, metric: int) -> CoarseStore:
    coarse, shape = segment.coarse, segment.shape
    if coarse is None:
        raise AssertionError("only segments with a coarse part are searched in two passes")
    arrays = (coarse.strips, segment.blocks, segment.ids, segment.allowed_pages)
    facts = coarse.facts
    return CoarseStore(
        *map(address, arrays), segment.count, facts.coordinates, facts.bits, shape.dim, shape.bits, metric
    )
