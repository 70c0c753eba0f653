"""Finds the nearest items of codes: copies are folded into one, and on request all windows of a recording, too."""

from __future__ import annotations

from collections.abc import Collection as Numbered
from dataclasses import dataclass, field

import numpy as np

from hypertorus.explorer.collection import Codes, Collection

FARTHEST = 4096
"""Number of neighbours that are folded, at most; a recording of many hours may be all of them."""


@dataclass
class Hit:
    """An item that is near to a query."""

    number: int
    distance: int
    row: int
    """Row of the query that it is nearest to."""
    same: list[int] = field(default_factory=list)
    """Other items with the very same code."""
    more: int = 0
    """Further items of the same recording that are folded into this one."""


def nearest(
    collection: Collection, codes: Codes, k: int, *, leave_out: Numbered[int] = (), one_each: bool = False
) -> list[Hit]:
    """Return the k items nearest to any of the codes [m, dim], nearest first, without those of the query itself."""
    index, ask = collection.index, k + len(leave_out)
    while True:
        hits = _folded(collection, codes, min(ask, len(index)), leave_out, one_each=one_each)
        if len(hits) >= k or ask >= min(FARTHEST, len(index)):
            return hits[:k]
        ask *= 4


def _folded(collection: Collection, codes: Codes, ask: int, leave_out: Numbered[int], *, one_each: bool) -> list[Hit]:
    found = collection.index.search(codes, ask)
    rows, ids, far = np.repeat(np.arange(len(codes)), ask), found.ids.ravel(), found.distances.ravel()
    order = np.lexsort((rows, ids, far))
    order = order[ids[order] >= 0]
    first = np.unique(ids[order], return_index=True)[1]
    order = order[np.sort(first)][:ask]
    kept = order[~np.isin(ids[order], list(leave_out))]
    if len(kept) == 0:
        return []
    vectors, sources = collection.index.vectors(ids[kept]), collection.items.recordings[collection.rows(ids[kept])]
    by_code: dict[bytes, Hit] = {}
    by_source: dict[int, Hit] = {}
    hits = []
    for place, vector, source in zip(kept.tolist(), vectors, sources.tolist(), strict=True):
        number = int(ids[place])
        if one_each and source in by_source:
            by_source[source].more += 1
        elif (twin := by_code.get(vector.tobytes())) is not None:
            twin.same.append(number)
        else:
            hit = Hit(number, int(far[place]), int(rows[place]))
            by_code[vector.tobytes()] = by_source[source] = hit
            hits.append(hit)
    return hits
