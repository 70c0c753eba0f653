"""What a search returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

NO_ID = -1
NO_DISTANCE = 2**32 - 1

Column = Callable[[npt.NDArray[np.int64]], npt.NDArray[Any]]
"""The value of a column for each of some ids."""


@dataclass(eq=False)  # not frozen, which takes a microsecond
class Neighbours:
    """Ids and distances, nearest first, ties by the lower id; where there are fewer than k, -1 and 2^32 - 1.

    `ids, distances = neighbours` takes it apart. Where the index has labels or names, so have the neighbours: they are
    looked up when they are first asked for. Those of an approximate search say how good they are: `recall` is what
    looking at as many cells found of the true neighbours when the index was arranged, and `proved` says of each query
    whether its neighbours are proved to be the true ones after all. Both are None where the search was exact.
    """

    ids: npt.NDArray[np.int64]
    distances: npt.NDArray[np.uint32]
    label_column: Column | None = field(default=None, repr=False)
    name_column: Column | None = field(default=None, repr=False)
    recall: float | None = field(default=None, repr=False)
    proved: npt.NDArray[np.bool_] | None = field(default=None, repr=False)
    asymmetric: bool = field(default=False, repr=False)
    """Whether distances are of queries that were not rounded: see `Index.search`."""

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
        whole = np.full(self.ids.shape, -1 if values.dtype.kind == "i" else "", values.dtype)
        whole[there] = values
        return whole
