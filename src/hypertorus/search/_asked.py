"""What may be asked of a search, checked: how many neighbours, how far, and how good."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from hypertorus.search._neighbours import NO_DISTANCE
from hypertorus.search._segment import Segment


def check_count(number: int, what: str) -> int:
    """How many of something are asked for, at least one."""
    try:
        count = operator.index(number)
    except TypeError:
        count = 0
    if count < 1 or isinstance(number, bool):
        raise ValueError(f"{what} is {number!r}; it must be a whole number of at least 1.")
    return count


def check_radius(radius: int) -> int:
    try:
        number = operator.index(radius)
    except TypeError:
        number = -1
    if number < 0:
        raise ValueError(f"radius is {radius!r}; distances are whole numbers, so pass one of at least 0.")
    return min(number, NO_DISTANCE)


def check_recall(recall: float | None) -> float:
    if not isinstance(recall, int | float) or not 0 < recall <= 1:
        raise ValueError(f"recall is {recall!r}; it must be a share above 0 and at most 1.")
    return recall


def most_cells(segments: Sequence[Segment], recall: float | None, cells: int | None) -> tuple[int, float]:
    """How many cells to look at for a recall, or as many as are asked for; and the recall they had when arranged."""
    arranged_in = next((segment.cells for segment in segments if segment.cells is not None), None)
    if arranged_in is None:
        raise ValueError(
            "an approximate search needs an index with cells or a coarse part; make one first with index.arrange() or, "
            "for codes without clusters, with index.coarsen()."
        )
    if recall is not None and cells is not None:
        raise ValueError("both recall and cells were given; pass one of them.")
    if cells is None:
        cells = arranged_in.cells_for(check_recall(recall))
    return check_count(cells, "cells"), arranged_in.recall_of(cells)
