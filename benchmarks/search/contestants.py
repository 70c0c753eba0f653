"""Who is measured: this package's index at every depth and metric, and the engines that people use instead.

Every contestant is a function from a number of queries to nothing, over the same codes: the float engines search the
unit-norm points of the codes, which are twice as many numbers, the others as many bytes as the codes have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import faiss
import numpy as np
import torch
from usearch.index import search as usearch_search

from hypertorus import TorusC
from hypertorus.bench.data import Codes, Data
from hypertorus.codes import unpack
from hypertorus.search import Index

K = 10
Search = Callable[[int], object]


def ours(data: Data, threads: int) -> dict[str, Search]:
    """The index at 8 bits in every metric, and at 4, 2 and 1 bits on as many coordinates, so on fewer bytes."""
    found: dict[str, Search] = {}
    for bits in (8, 4, 2, 1):
        codes, queries = (rows >> np.uint8(8 - bits) for rows in data)
        for metric in ("l1", "l2", "cosine") if bits == 8 else ("l1",):
            found[f"hypertorus {bits}-bit {metric}"] = _search(codes, queries, bits, metric, threads)
    return found


def _search(codes: Codes, queries: Codes, bits: int, metric: str, threads: int) -> Search:
    index = Index(codes.shape[1], bits=bits, metric=metric)
    index.add(codes)
    return lambda count: index.search(queries[:count], K, threads=threads)


def equal_bytes(data: Data, threads: int) -> dict[str, Search]:
    """2-bit codes that fill as many bytes as the 8-bit ones, beside the engine that counts the same bits."""
    codes, queries = (unpack(rows, 4 * rows.shape[1], bits=2) for rows in data)
    binary = faiss.IndexBinaryFlat(8 * data.codes.shape[1])
    binary.add(data.codes)
    return {
        "hypertorus 2-bit l1, equal bytes": _search(codes, queries, 2, "l1", threads),
        "faiss BinaryFlat": lambda count: binary.search(data.queries[:count], K),
    }


def peers(data: Data, threads: int) -> dict[str, Search]:
    size = data.codes.shape[1]
    points, queries = (TorusC(size).point(rows / np.float32(256)) for rows in data)
    flat, scalar = faiss.IndexFlatIP(2 * size), faiss.IndexScalarQuantizer(2 * size, faiss.ScalarQuantizer.QT_8bit)
    fast = faiss.IndexPQFastScan(2 * size, 2 * size, 4)
    for index in (flat, scalar, fast):
        index.train(points[:20_000])
        index.add(points)
    tensor, query_tensor = torch.from_numpy(points).T, torch.from_numpy(queries)
    signed, signed_queries = data.codes.view(np.int8), data.queries.view(np.int8)

    def by_torch(count: int) -> None:
        for part in torch.split(query_tensor[:count], 32):
            torch.topk(part @ tensor, K)

    def by_numpy(count: int) -> None:
        for query in data.queries[:count]:
            difference = data.codes - query
            distances = np.minimum(difference, 0 - difference).sum(axis=1, dtype=np.uint32)
            np.argpartition(distances, K)[:K]

    def by_usearch(count: int) -> Any:
        return usearch_search(signed, signed_queries[:count], K, "l2sq", exact=True, threads=threads)

    return {
        "faiss FlatIP float32": lambda count: flat.search(queries[:count], K),
        "torch matmul + topk float32": by_torch,
        "faiss ScalarQuantizer 8 bit": lambda count: scalar.search(queries[:count], K),
        "faiss PQFastScan": lambda count: fast.search(queries[:count], K),
        "usearch exact int8": by_usearch,
        "numpy": by_numpy,
    }
