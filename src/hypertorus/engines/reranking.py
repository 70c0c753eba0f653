"""Reranking: candidates of any engine, by whatever distance it has, to the nearest of them by ours."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hypertorus.search import Neighbours
from hypertorus.search._asked import check_count
from hypertorus.search._ids import Ids
from hypertorus.search._library import call, metric_number
from hypertorus.search._neighbours import NO_DISTANCE, NO_ID
from hypertorus.search._rows import Shape


class CodesById(Protocol):
    """What candidates are looked up in: an `Index`, or an engine that gives its codes back."""

    @property
    def dim(self) -> int: ...
    @property
    def bits(self) -> int: ...

    metric: str

    def vectors(self, ids: Any) -> npt.NDArray[np.uint8]: ...


def rerank(codes: CodesById, queries: Any, candidates: Any, k: int = 10) -> Neighbours:
    """The k nearest of each query's own candidates, by exact distance and then by the lower id.

    `codes` is an `Index` that has the codes of all candidates. Candidates [queries, any] are ids, -1 where there are
    fewer; one that occurs twice counts once. So an engine that counts differing bits of a coarse view, or a database,
    proposes a hundred, and the answer has the integer distances of `Index.search`.

    >>> from hypertorus.search import Index
    >>> index = Index(dim=2, metric="l1")
    >>> _ = index.add(np.array([[0, 0], [250, 3], [128, 128]]))
    >>> rerank(index, np.array([[253, 1]]), candidates=np.array([[2, 1, -1]]), k=2)
    Neighbours(ids=array([[1, 2]]), distances=array([[  5, 252]], dtype=uint32))
    """
    k, shape = check_count(k, "k"), Shape(codes.dim, codes.bits)
    rows = shape.packed(queries, "queries")
    ids = _checked(candidates, len(rows))
    distances = np.full(ids.shape, NO_DISTANCE, np.uint32)
    step = max(1, _BYTES_AT_ONCE // max(1, ids.shape[1] * shape.dim))
    for begin in range(0, len(rows), step):
        part = slice(begin, begin + step)
        distances[part] = _distances(codes, shape, rows[part], ids[part])
    return ordered(ids, distances, k)


def ordered(ids: Ids, distances: npt.NDArray[np.uint32], k: int) -> Neighbours:
    """The first k of each row by distance and then by the lower id, each id once; -1 and 2^32 - 1 fill up."""
    ids, distances = _sorted(ids, distances)
    twice = (ids[:, 1:] == ids[:, :-1]) & (ids[:, 1:] != NO_ID)
    if twice.any():
        ids[:, 1:][twice], distances[:, 1:][twice] = NO_ID, NO_DISTANCE
        ids, distances = _sorted(ids, distances)
    if (missing := k - ids.shape[1]) > 0:
        rows = len(ids)
        ids = np.hstack([ids, np.full((rows, missing), NO_ID, np.int64)])
        distances = np.hstack([distances, np.full((rows, missing), NO_DISTANCE, np.uint32)])
    return Neighbours(ids[:, :k], distances[:, :k])


_BYTES_AT_ONCE = 2**26


def _checked(candidates: Any, queries: int) -> Ids:
    ids = np.asarray(candidates)
    if ids.dtype.kind not in "iu" or ids.ndim != 2 or len(ids) != queries:
        raise ValueError(
            f"candidates is an array of {ids.dtype} with shape {ids.shape}; pass ids, a row for each of the "
            f"{queries} queries, with -1 where there are fewer."
        )
    return ids.astype(np.int64)


def _distances(codes: CodesById, shape: Shape, queries: npt.NDArray[np.uint8], ids: Ids) -> npt.NDArray[np.uint32]:
    there, number = ids >= 0, metric_number(codes.metric)
    rows = shape.packed(codes.vectors(ids[there]), "candidates") if there.any() else queries[:0]
    exact = np.empty(len(rows), np.uint32)
    begin = 0
    for query, count in zip(queries, there.sum(axis=1).tolist(), strict=True):
        own = slice(begin, begin + count)
        call("ht_distances", query, 1, rows[own], count, shape.dim, shape.bits, number, exact[own])
        begin += count
    distances = np.full(ids.shape, NO_DISTANCE, np.uint32)
    distances[there] = exact
    return distances


def _sorted(ids: Ids, distances: npt.NDArray[np.uint32]) -> tuple[Ids, npt.NDArray[np.uint32]]:
    order, rows = np.lexsort((ids, distances)), np.arange(len(ids))[:, None]
    return ids[rows, order], distances[rows, order]
