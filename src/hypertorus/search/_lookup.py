"""Where an id stands in an array of ids that only ever grows at its end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]


class Lookup:
    """Positions by id, with an order that is made when it is first needed and kept while it is of use.

    Ids that ascend are found by bisection in themselves. Others need an order; ids added since it was made are few
    and ordered on the spot, so that adding one id after the other does not sort all of them each time. An id that
    was removed and added again stands in several places, of which only the last can still count.
    """

    def __init__(self) -> None:
        self._order: Ids = np.empty(0, np.int64)

    def positions(self, ids: Ids, wanted: Ids, *, ascending: bool) -> Ids:
        """The last position of each wanted id in `ids`, or -1."""
        if ascending:
            return _last_positions(ids, None, wanted)
        order = self._order  # may cover more ids than ours if another thread knows a later state
        if len(ids) - len(order) > _FEW:
            self._order = order = np.argsort(ids, kind="stable")
        if len(order) > len(ids):
            order = order[order < len(ids)]
        recent = ids[len(order) :]
        found = _last_positions(recent, np.argsort(recent, kind="stable"), wanted)
        older = _last_positions(ids[: len(order)], order, wanted)
        return np.where(found >= 0, found + len(order), older)


_FEW = 1024


def _last_positions(ids: Ids, order: Ids | None, wanted: Ids) -> Ids:
    """Search by bisection; `order` lists positions by ascending id, and positions of equal ids in their own order."""
    if len(ids) == 0:
        return np.full(len(wanted), -1, np.int64)
    after = np.searchsorted(ids, wanted, side="right", sorter=order)
    place = np.maximum(after - 1, 0)
    position = place if order is None else order[place]
    return np.where((after > 0) & (ids[position] == wanted), position, -1)
