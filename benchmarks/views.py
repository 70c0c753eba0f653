"""Recall of the three views of codes that other engines search, against exact torus cosine and l1.

    python -m benchmarks.views --json results/views.json    # the command of docs/codes.md, a minute

A view is searched by brute force with the distance an engine would use, so that what is measured is the view and not an
engine. A neighbour counts if it is no farther than the k-th of the exact search.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from benchmarks.machine import write_result
from hypertorus.bench.data import Data, clustered_data, trained_data
from hypertorus.codes import half_points, hamming_view, int8_points
from hypertorus.search import distances, nearest

K, SIZE = 10, 64
Scores = npt.NDArray[Any]
View = Callable[[npt.NDArray[np.uint8]], npt.NDArray[Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, default=50_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for name, make in {"clustered": clustered_data, "trained": trained_data}.items():
        rows += [{"codes": name, **row} for row in measure(make(options.vectors, options.queries, SIZE))]
    table = Table(*rows[0])
    for row in rows:
        table.add_row(*(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row.values()))
    Console().print(table)
    if options.json:
        write_result(options.json, shlex.join(["python", "-m", "benchmarks.views", *sys.argv[1:]]), rows)


def measure(data: Data) -> Iterator[dict[str, Any]]:
    """The recall of each view, of its first 10 and after its first 100 and 1,000 are reranked by the exact distance."""
    for view, size, distance, by in searches(data):
        row: dict[str, Any] = {"view": view, "bytes": size, "distance": distance}
        first = [np.argsort(by(query), kind="stable")[:1000] for query in range(len(data.queries))]
        for count in (K, 100, 1000):
            for metric in ("cosine", "l1"):
                row[f"{metric}@{count}"] = recall(data, first, count, metric)
        yield row


def recall(data: Data, candidates: list[Scores], count: int, metric: str) -> float:
    exact = nearest(data.codes, data.queries, K, metric=metric, threads=1).distances[:, -1]
    kept = [
        np.sort(distances(data.codes[ids[:count]], query[None], metric=metric)[:, 0])[:K]
        for ids, query in zip(candidates, data.queries, strict=True)
    ]
    return float((np.array(kept) <= exact[:, None]).mean())


def searches(data: Data) -> Iterator[tuple[str, int, str, Callable[[int], Scores]]]:
    """Each view, its bytes, the distance it is searched by, and the distances of one query to all codes."""
    for name, view in POINTS.items():
        stored, asked = view(data.codes), view(data.queries).astype(np.float32)
        points = stored.astype(np.float32)
        for distance, score in of_points(points, asked).items():
            yield name, stored[0].nbytes, distance, score
    for bits in (4, 2, 1):
        packed, queries = hamming_view(data.codes, bits), hamming_view(data.queries, bits)
        yield f"hamming_view, bits={bits}", packed.shape[1], "Hamming", partial(differing_bits, packed, queries)


def of_points(points: Scores, queries: Scores) -> dict[str, Callable[[int], Scores]]:
    norms = np.linalg.norm(points, axis=1)
    return {
        "cosine": lambda query: -(points @ queries[query]) / norms,
        "l2": lambda query: norms**2 - 2 * (points @ queries[query]),
        "inner product": lambda query: -(points @ queries[query]),
    }


def differing_bits(packed: Scores, queries: Scores, query: int) -> Scores:
    return np.bitwise_count(packed ^ queries[query]).sum(axis=1)


POINTS: dict[str, View] = {"int8_points": int8_points, "half_points": half_points}

if __name__ == "__main__":
    main()
