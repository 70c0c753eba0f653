"""Nearest neighbours of embeddings or of their codes, as positions in the reference.

Equal distances are ordered by position, the lower first. Codes of a torus are searched as the integers they are by
this package's own exact search. Everything else is searched as float vectors by faiss; equal vectors are searched
once and listed by position, so that their order is never random.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes import GridCodes, Quantiser, SignCodes
from hypertorus.evaluation.spread import as_symbols
from hypertorus.files.extras import require
from hypertorus.search import nearest
from hypertorus.spaces import Torus

Positions = npt.NDArray[np.int64]


def nearest_codes(
    codes: npt.NDArray[np.uint8], queries: npt.NDArray[np.uint8], k: int, quantiser: Quantiser, metric: str = "cosine"
) -> Positions:
    """Return the k nearest codes [n, width] of each query code [m, width]: positions [m, k]."""
    if isinstance(quantiser, SignCodes):
        return nearest(codes, queries, k, metric="l1", bits=1).ids
    if isinstance(quantiser, GridCodes) and isinstance(quantiser.space, Torus):
        bits = quantiser.bits
        if bits in (8, 4, 2, 1):
            return nearest(codes, queries, k, metric=metric, bits=bits).ids
        return nearest(codes << (8 - bits), queries << (8 - bits), k, metric=metric).ids
    return nearest_vectors(quantiser.vectors(codes), quantiser.vectors(queries), k)


def nearest_vectors(vectors: npt.NDArray[Any], queries: npt.NDArray[Any], k: int) -> Positions:
    """Return the k nearest vectors [n, width] of each query [m, width] by Euclidean distance: positions [m, k]."""
    require("faiss", extra="engines")
    import faiss

    _, first, group = np.unique(as_symbols(vectors), return_index=True, return_inverse=True)
    order = np.argsort(first)
    groups = np.argsort(order)[group]
    different = np.ascontiguousarray(vectors[first[order]], np.float32)
    count = min(len(different), k + _SPARE)
    distances, nearest = faiss.knn(np.ascontiguousarray(queries, np.float32), different, count)
    ranked = np.take_along_axis(nearest, np.lexsort((nearest, distances), axis=1), axis=1)
    if len(different) == len(vectors):
        return ranked[:, :k]
    return _expand(ranked, groups, k)


_SPARE = 8
"""Number of extra neighbours to search for, so that equal distances around the k-th are ordered by position too."""


def _expand(ranked: Positions, groups: Positions, k: int) -> Positions:
    """Return each row with its groups replaced by the positions of their members, in order, up to k positions."""
    members = np.argsort(groups, kind="stable")
    begins = np.concatenate([[0], np.cumsum(np.bincount(groups))])
    lists = [members[begins[group] : begins[group + 1]] for group in range(len(begins) - 1)]
    rows = []
    for row in ranked:
        positions: list[Positions] = []
        missing = k
        for group in row:
            positions.append(lists[group][:missing])
            missing -= len(positions[-1])
            if missing == 0:
                break
        rows.append(np.concatenate(positions))
    return np.stack(rows)
