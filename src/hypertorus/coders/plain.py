"""Plain codes: coordinates on even grids of 1 to 4 bits, several to a nibble, and queries that are not rounded.

A query q has a = (q - mean) W, and a code has levels l = c + 1/2 - 2^(bits - 1). Their score is the sum over
coordinates of a l - g l^2 / 2: with W the principal components times the width of their cells and g the square of that
width, this is the cosine up to what rounding loses. It is a sum over nibbles, so a query is a table of 16 numbers for
each nibble, which the native scan adds up as bytes.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.coders.bits import places
from hypertorus.coders.coder import Coder, Codes
from hypertorus.coders.vectors import Floats
from hypertorus.search import TABLES, Index, Neighbours

_QUERIES = 1024
"""Number of queries whose tables are made at once."""


class PlainCoder(Coder):
    """Codes by an even grid: weights are `mean` [numbers], `encode` and `query` [numbers, coordinates], `penalty` and
    `bits` [coordinates].
    """

    kind = "plain"
    metric = TABLES

    def tables(self, vectors: Floats) -> npt.NDArray[np.uint8]:
        """Return what each value of each nibble costs, [queries, 2 x bytes, 16], for vectors of length 1.

        An entry is how far the score lies below the best of its nibble, in 255ths of the largest such difference.
        """
        sides = (vectors - self.weights["mean"]) @ self.weights["query"]
        scores = np.zeros((len(vectors), self.width, 16), np.float32)
        for place, nibble in enumerate(self._places[0]):
            levels = self._levels[place]
            scores[:, nibble] += sides[:, place, None] * levels - self.weights["penalty"][place] * levels**2 / 2
        costs = scores.max(axis=2, keepdims=True) - scores
        largest = costs.max(axis=(1, 2), keepdims=True)
        return np.rint(costs * (255 / np.where(largest == 0, 1, largest))).astype(np.uint8)

    def _codes(self, vectors: Floats) -> Codes:
        bits = self.weights["bits"].astype(np.int64)
        cells = np.floor((vectors - self.weights["mean"]) @ self.weights["encode"]) + 2.0 ** (bits - 1)
        fields = np.clip(cells, 0, 2**bits - 1).astype(np.uint8)
        codes = np.zeros((len(vectors), self.width), np.uint8)
        for place, (nibble, shift) in enumerate(zip(*self._places, strict=True)):
            codes[:, nibble] |= fields[:, place] << np.uint8(shift)
        return codes

    def _middles(self, codes: Codes) -> Floats:
        nibbles = codes[:, self._places[0]]
        return np.take_along_axis(self._levels[None], nibbles[:, :, None].astype(np.int64), axis=2)[:, :, 0]

    def _search(self, index: Index, vectors: Floats, k: int, *, where: Any, threads: int | None) -> Neighbours:
        parts = [
            index.search_tables(self.tables(vectors[begin : begin + _QUERIES]), k, where, threads)
            for begin in range(0, max(1, len(vectors)), _QUERIES)
        ]
        ids, distances = (np.concatenate([getattr(part, name) for part in parts]) for name in ("ids", "distances"))
        return Neighbours(ids, distances, parts[0].label_column, parts[0].name_column)

    @cached_property
    def _places(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        return places(self.weights["bits"])

    @cached_property
    def _levels(self) -> Floats:
        """The level of each coordinate in each value of its nibble, [coordinates, 16]."""
        bits, shifts = self.weights["bits"].astype(np.int64)[:, None], self._places[1][:, None]
        fields = np.arange(16) >> shifts & 2**bits - 1
        return (fields + 0.5 - 2.0 ** (bits - 1)).astype(np.float32)
