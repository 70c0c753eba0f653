"""The approximate engines that people use instead, each with the dial by which it trades recall for speed.

An engine is built once; `search(dial, queries)` gives ids. usearch walks a graph over the same codes under the same
metric; faiss searches the unit-norm points of the codes, a graph of them (HNSW) or cells (IVF), by inner product.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import faiss
import numpy as np
import numpy.typing as npt
from usearch.index import Index as Graph

from benchmarks.search.contestants import K
from hypertorus import TorusC
from hypertorus.bench.data import Codes, Data
from hypertorus.engines.usearch_graph import usearch_metric

Ids = npt.NDArray[np.int64]


class Engine(NamedTuple):
    """An engine with its index built, how long that took, and the settings of its dial from fast to good."""

    search: Callable[[int, int, int], Ids]
    """Neighbours by the setting of the dial and the first and last query, all at once."""
    build_seconds: float
    dial: tuple[int, ...]
    truth: str
    """What its recall is measured by: "l1" of the codes, or "points" by inner product."""


def points_of(codes: Codes) -> npt.NDArray[np.float32]:
    return TorusC(codes.shape[1]).point(codes / np.float32(256)).astype(np.float32)


def usearch_graph(data: Data, threads: int) -> Engine:
    graph: Any = Graph(ndim=data.codes.shape[1], metric=usearch_metric("l1"), dtype="i8")
    start = time.perf_counter()
    graph.add(np.arange(len(data.codes)), data.codes.view(np.int8), threads=threads)
    seconds = time.perf_counter() - start
    queries = data.queries.view(np.int8)

    def search(expansion: int, first: int, last: int) -> Ids:
        graph.expansion_search = expansion
        keys: Any = graph.search(queries[first:last], K, threads=1).keys
        return np.asarray(keys).reshape(last - first, K).astype(np.int64)

    return Engine(search, seconds, (16, 32, 64, 128, 256, 512, 1024), "l1")


def faiss_graph(data: Data, threads: int) -> Engine:
    graph = faiss.IndexHNSWFlat(2 * data.codes.shape[1], 16, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction = 64
    return _faiss(graph, graph.hnsw, "efSearch", (16, 32, 64, 128, 256, 512, 1024), data, threads)


def faiss_cells(data: Data, threads: int) -> Engine:
    width = 2 * data.codes.shape[1]
    cells = faiss.IndexIVFFlat(
        faiss.IndexFlatIP(width), width, round(2 * len(data.codes) ** 0.5), faiss.METRIC_INNER_PRODUCT
    )
    return _faiss(cells, cells, "nprobe", (1, 2, 4, 8, 16, 32, 64, 128), data, threads)


def _faiss(index: Any, dialled: Any, name: str, dial: tuple[int, ...], data: Data, threads: int) -> Engine:
    points, queries = points_of(data.codes), points_of(data.queries)
    faiss.omp_set_num_threads(threads)
    start = time.perf_counter()
    index.train(points[:: max(1, len(points) // 200_000)])
    index.add(points)
    seconds = time.perf_counter() - start
    del points
    faiss.omp_set_num_threads(1)

    def search(setting: int, first: int, last: int) -> Ids:
        setattr(dialled, name, setting)
        return np.asarray(index.search(queries[first:last], K)[1])

    return Engine(search, seconds, dial, "points")


ENGINES = {
    "usearch HNSW, our metric": usearch_graph,
    "faiss HNSW float32": faiss_graph,
    "faiss IVF float32": faiss_cells,
}
