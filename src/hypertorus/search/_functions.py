"""Search and distances as plain functions over arrays of codes; nothing is kept between calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.files.threads import thread_count
from hypertorus.search._asked import check_count
from hypertorus.search._asymmetric import is_asymmetric, nearest_to_turns
from hypertorus.search._library import call, metric_number
from hypertorus.search._neighbours import Neighbours
from hypertorus.search._rows import Shape
from hypertorus.search._scan import Scan
from hypertorus.search._segment import Batch, appended
from hypertorus.search._tables import TableScan


def nearest(
    codes: Any, queries: Any, k: int = 10, metric: str = "cosine", bits: int = 8, threads: int | None = None
) -> Neighbours:
    """The k nearest codes of each query: ids, which are row numbers, and distances, both [queries, k].

    Codes [n, dim] and queries [m, dim] hold one number a coordinate: integers from 0 to 2^bits - 1, or floats, which
    are turns in [0, 1): codes are quantised, queries only at 8 bits, as `Index.search` explains. The codes are laid out
    for the scan on every call; to search the same ones again, keep them in an `Index`.

    >>> codes = np.array([[0, 0], [250, 3], [128, 128]], np.uint8)
    >>> nearest(codes, np.array([[253, 1]]), k=2, metric="l1")
    Neighbours(ids=array([[0, 1]]), distances=array([[4, 5]], dtype=uint32))
    """
    number = metric_number(metric)
    shape = shape_of(codes, "codes", bits)
    shape.check(queries, "queries")
    ids = np.arange(shape.check(codes, "codes"))
    k, threads = check_count(k, "k"), thread_count(threads)
    segments = appended((), shape, Batch(codes, ids))
    if is_asymmetric(queries, shape):
        return nearest_to_turns(TableScan(shape, number, segments), queries, k, threads)
    packed = shape.packed(queries, "queries")
    return Scan(shape, number, segments).nearest(packed, k, threads)


def distances(a: Any, b: Any, metric: str = "cosine", bits: int = 8) -> npt.NDArray[np.uint32]:
    """The distance of every code of a [n, dim] to every code of b [m, dim], as [n, m].

    With w the wrapped difference of two coordinates, `l1` is sum |w|, `l2` is sum w^2, and `cosine` is the sum of
    round(2^14 (1 - cos)) of their angle: whole numbers, the same on every machine.

    >>> distances(np.array([[250, 7]], np.uint8), np.array([[1, 7], [250, 135]], np.uint8), metric="l1")
    array([[  7, 128]], dtype=uint32)
    """
    number = metric_number(metric)
    shape = shape_of(a, "a", bits)
    rows, others = shape.packed(a, "a"), shape.packed(b, "b")
    result = np.empty((len(rows), len(others)), np.uint32)
    call("ht_distances", rows, len(rows), others, len(others), shape.dim, shape.bits, number, result)
    return result


def shape_of(vectors: Any, what: str, bits: int) -> Shape:
    shape = tuple(getattr(vectors, "shape", (0, 1)))
    if len(shape) != 2:
        raise ValueError(f"{what} has shape {shape}; pass a matrix [vectors, coordinates].")
    return Shape(int(shape[1]), bits)
