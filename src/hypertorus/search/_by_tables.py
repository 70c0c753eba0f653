"""The index as far as it is searched by tables that the caller made."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.files.progress import Progress
from hypertorus.files.threads import thread_count
from hypertorus.search._asked import check_count, check_radius
from hypertorus.search._columns import with_columns
from hypertorus.search._neighbours import Neighbours
from hypertorus.search._rows import Shape
from hypertorus.search._state import State, narrowed
from hypertorus.search._sums import check_sum_tables, sums_of
from hypertorus.search._tables import TableScan, check_tables


class ByTables:
    """What an index finds by tables; the index itself is the class that inherits from it."""

    _shape: Shape
    _state: State
    _metric_number: int

    def search_tables(
        self,
        tables: Any,
        k: int = 10,
        where: Any = None,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Neighbours:
        """The k codes with the smallest sums of table entries, for each query [m, ceil(dim * bits / 4), 16] of uint8.

        The index has 4, 2 or 1 bits. The distance of a query to a code is the sum over n of `tables[query, n, nibble]`,
        where `nibble` is the n-th group of four bits of the packed code: one coordinate of 4 bits, two of 2 bits, the
        first in the lower bits, or four of 1 bit. Any bytes are allowed, so any sum over groups of at most 16 values
        can be searched: keep such groups as the coordinates of an index of 4 bits. The search is exact, ties go to the
        lower id, and the metric and the cells of the index play no part. Other arguments are those of `search`.

        >>> import numpy as np
        >>> from hypertorus import Index
        >>> index = Index(dim=3, bits=4)
        >>> _ = index.add(np.array([[0, 1, 2], [15, 1, 0]]))
        >>> tables = np.zeros((1, 3, 16), np.uint8)
        >>> tables[0, 0, 0], tables[0, 2, 2] = 200, 100
        >>> index.search_tables(tables, k=2)
        Neighbours(ids=array([[1, 0]]), distances=array([[  0, 300]], dtype=uint32))
        """
        k = check_count(k, "k")
        if threads is not None:
            thread_count(threads)
        state = self._state
        given = check_tables(tables, self._shape)
        return with_columns(self._table_scan(state, where).nearest(given, k, threads, progress), state)

    def within_tables(
        self, tables: Any, radius: int, where: Any = None, threads: int | None = None
    ) -> list[Neighbours]:
        """For each query, given as tables as in `search_tables`, all codes no further than `radius`, nearest first."""
        largest = check_radius(radius)
        if threads is not None:
            thread_count(threads)
        state = self._state
        found = self._table_scan(state, where).within(check_tables(tables, self._shape), largest, threads)
        return [with_columns(each, state) for each in found]

    def sums(self, tables: Any, threads: int | None = None) -> npt.NDArray[np.int32]:
        """For each of tables [m, dim, 2^bits] of whole numbers, its sum for every code: [m, n], in the order of `ids`.

        The sum of a code is that of `tables[m, i, code[i]]` over its coordinates i. So a classifier that has a number
        for each value of each coordinate scores a whole index in one scan, at any bits, in integers alone.

        >>> import numpy as np
        >>> from hypertorus import Index
        >>> index = Index(dim=2)
        >>> _ = index.add(np.array([[0, 255], [7, 7]]))
        >>> tables = np.zeros((1, 2, 256), np.int16)
        >>> tables[0, 0, 0], tables[0, 1, 255], tables[0, 1, 7] = 10, 5, -3
        >>> index.sums(tables)
        array([[15, -3]], dtype=int32)
        """
        if threads is not None:
            thread_count(threads)
        return sums_of(self._state.segments, self._shape, check_sum_tables(tables, self._shape), threads)

    def _table_scan(self, state: State, where: Any) -> TableScan:
        return TableScan(self._shape, self._metric_number, state.segments if where is None else narrowed(state, where))
