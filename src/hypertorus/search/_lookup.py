"""Where an id stands in an array of ids that only ever grows at its end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
Order = npt.NDArray[np.int64] | npt.NDArray[np.uint32]


class _Run(NamedTuple):
    """Positions from `first` on, by ascending id; they are counted from `first`."""

    first: int
    order: Order

    @property
    def end(self) -> int:
        return self.first + len(self.order)


class Lookup:
    """Positions by id, with an order that is made when it is first needed and kept while it is of use.

    Ids that ascend are found by bisection in themselves. Others need an order, of which there are several: each is of a
    run of positions that is at least twice as long as the next, so adding ids sorts only the last of them again. The
    latest ids are few and ordered on the spot. An id that was removed and added again stands in several places, of
    which only the last can still count.
    """

    def __init__(self, order: Order | None = None) -> None:
        self._runs: tuple[_Run, ...] = () if order is None else (_Run(0, order),)

    def positions(self, ids: Ids, wanted: Ids, *, ascending: bool) -> Ids:
        """The last position of each wanted id in `ids`, or -1."""
        if ascending:
            return _last_positions(ids, None, wanted)
        runs = self._runs  # may cover more ids than ours if another thread knows a later state
        covered = runs[-1].end if runs else 0
        if len(ids) - covered > _FEW:
            self._runs = runs = _extended(runs, ids)
            covered = len(ids)
        recent = ids[covered:]
        parts = [run for run in runs if run.first < len(ids)]
        found = np.full(len(wanted), -1, np.int64)
        for first, order in (*parts, _Run(covered, np.argsort(recent, kind="stable"))):
            if first + len(order) > len(ids):
                order = order[order < len(ids) - first]  # noqa: PLW2901
            later = _last_positions(ids[first : first + len(order)], order, wanted)
            found = np.where(later >= 0, later + first, found)
        return found


_FEW = 1024


def _extended(runs: tuple[_Run, ...], ids: Ids) -> tuple[_Run, ...]:
    """Runs that cover all of these ids."""
    first = runs[-1].end if runs else 0
    while runs and len(runs[-1].order) < 2 * (len(ids) - first):
        first = runs[-1].first
        runs = runs[:-1]
    return *runs, _Run(first, np.argsort(ids[first:], kind="stable"))


def _last_positions(ids: Ids, order: Order | None, wanted: Ids) -> Ids:
    """Search by bisection; `order` lists positions by ascending id, and positions of equal ids in their own order."""
    if len(ids) == 0:
        return np.full(len(wanted), -1, np.int64)
    after = np.searchsorted(ids, wanted, side="right") if order is None else _after(ids, order, wanted)
    place = np.maximum(after - 1, 0)
    position = place if order is None else order[place].astype(np.int64)
    return np.where((after > 0) & (ids[position] == wanted), position, -1)


def _after(ids: Ids, order: Order, wanted: Ids) -> Ids:
    """As `searchsorted` with a sorter, which would copy an order of another type, however few are wanted."""
    if order.dtype == np.int64:
        return np.searchsorted(ids, wanted, side="right", sorter=order)
    low, high = np.zeros(len(wanted), np.int64), np.full(len(wanted), len(order), np.int64)
    for _ in range(len(order).bit_length()):
        middle = (low + high) // 2
        right = (low < high) & (ids[order[np.minimum(middle, len(order) - 1)]] <= wanted)
        low, high = np.where(right, middle + 1, low), np.where(right, high, middle)
    return low
