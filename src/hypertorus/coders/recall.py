"""The share of true neighbours that codes find, of rows that they were not fitted to, beside product quantisation."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.coders.coder import Coder
from hypertorus.coders.vectors import Floats
from hypertorus.evaluation.agreement import neighbour_recall

K = 10


def held_out_recall(coder: Coder, base: Floats, queries: Floats, k: int = K) -> float:
    """Return the share of the k nearest of each query by cosine, among the base, that are the k nearest codes."""
    found = coder.search(coder.index(base), queries, k).ids
    return neighbour_recall(found, nearest_by_cosine(base, queries, k))


def peers(base: Floats, queries: Floats, size: int, k: int = K) -> dict[str, float]:
    """Return the same for product quantisation of `size` bytes, plain and rotated, by faiss; empty without faiss.

    Like the coder, both are fitted to the base, and compare codes with queries that are not rounded.
    """
    numbers = base.shape[1]
    if find_spec("faiss") is None or numbers % size or len(base) < 256:
        return {}
    exact = nearest_by_cosine(base, queries, k)
    return {
        "PQ": neighbour_recall(faiss_nearest(f"PQ{size}np", base, queries, k), exact),
        "OPQ": neighbour_recall(faiss_nearest(f"OPQ{size},PQ{size}np", base, queries, k), exact),
    }


def faiss_nearest(description: str, base: Floats, queries: Floats, k: int) -> npt.NDArray[np.int64]:
    """Return what an index of faiss, by its description, finds."""
    import faiss

    index: Any = faiss.index_factory(base.shape[1], description)
    index.train(base)
    index.add(base)
    return index.search(queries, k)[1]


def nearest_by_cosine(base: Floats, queries: Floats, k: int = K) -> npt.NDArray[np.int64]:
    """Return the k nearest rows of the base by cosine, positions [queries, k]; both have length 1."""
    parts = [np.empty((0, min(k, len(base))), np.int64)]
    for begin in range(0, len(queries), 256):
        cosines = queries[begin : begin + 256] @ base.T
        near = np.sort(np.argpartition(-cosines, min(k, len(base)) - 1, axis=1)[:, :k], axis=1)
        order = np.argsort(-np.take_along_axis(cosines, near, axis=1), axis=1, kind="stable")
        parts.append(np.take_along_axis(near, order, axis=1))
    return np.concatenate(parts)
