"""Cells without the codes that were removed from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hypertorus.search._cells import SAMPLED, Cells
from hypertorus.search._library import call
from hypertorus.search._lookup import Ids
from hypertorus.search._segment import Segment, stored


def kept_cells(segment: Segment, metric: int) -> Cells | None:
    """The cells of a segment as they are once the positions that do not count are left out."""
    cells = segment.cells
    if cells is None or segment.allowed is None:
        return cells
    kept = segment.mask()[: cells.count]
    if not kept.any():
        return None
    new_positions = np.cumsum(kept) - 1
    ends = new_positions[cells.ends.astype(np.int64) - 1] + 1
    filled = np.flatnonzero(np.diff(ends, prepend=0))
    added = cells.order[kept[cells.order]]
    positions, ends = np.flatnonzero(kept), ends[filled]
    rows_of_centres = replace(segment, blocks=cells.centres).rows(filled)

    def radii(chosen: Ids) -> npt.NDArray[np.uint32]:
        """The radii of these new positions, each in its own cell."""
        cell = np.searchsorted(ends, chosen, side="right")
        rows, found = segment.rows(positions[chosen]), np.empty(len(chosen), np.uint32)
        shape = segment.shape
        call(
            "ht_radii",
            *(rows, len(rows), rows_of_centres, len(filled), cell, shape.dim, shape.bits, metric, found),
        )
        return found

    return replace(
        cells,
        centres=stored(rows_of_centres, segment.shape).blocks,
        ends=ends.astype(np.uint64),
        order=new_positions[added].astype(np.uint32) if cells.order.dtype == np.uint32 else new_positions[added],
        reaches=radii(ends - 1),
        samples=radii(np.arange(0, len(positions), SAMPLED)),
    )
