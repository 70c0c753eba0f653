"""A coarse part, searched first, against the plain scan: exact, and at a stated recall of 0.99.

    python -m benchmarks.search.coarse --packages build/packages_minilm.npz --json results/search-coarse.json

One thread, one query at a time, k = 10, queries that are not in the index; runs of the plain index and of the coarse
ones take turns. Codes are of a model of two-digit numbers, of random clusters, and of a torusN head on MiniLM vectors
of package descriptions with noise on them (FILE has `train`, `train_labels`, `test` and `test_labels`). An exact search
goes through the coarse part here whether it pays or not; `pays` says what the index itself would do.
"""

from __future__ import annotations

import argparse
import copy
import shlex
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
from rich.console import Console

import hypertorus as ht
from benchmarks.machine import describe, write_result
from benchmarks.search.contestants import K
from hypertorus.bench.data import Data, clustered_data, trained_data
from hypertorus.search import Index
from hypertorus.search._coarse import CoarseFacts
from hypertorus.search._rows import Shape

QUERIES, SINGLES, ROUNDS, RECALL, NOISE = 1000, 20, 5, 0.99, 0.5
SHAPES = ((32, 2), (64, 2), (64, 4))
CACHE = Path("build/packages")
pays = CoarseFacts.pays


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=Path, help="vectors of descriptions; left out without them")
    parser.add_argument("--vectors", type=int, default=1_000_000)
    parser.add_argument("--metrics", nargs="+", default=["l1", "cosine"])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    makers: dict[str, Callable[[], Data]] = {
        "trained": lambda: trained_data(options.vectors, QUERIES, 64),
        "clustered": lambda: clustered_data(options.vectors, QUERIES, 64),
    }
    if options.packages is not None:
        makers["packages"] = lambda: package_data(options.packages, options.vectors)
    console, facts = Console(), dict[str, Any]()
    cast("Any", CoarseFacts).pays = lambda *_: True
    for name, make in makers.items():
        data = make()
        facts[name] = {metric: measure(data, metric) for metric in options.metrics}
        console.print(name, facts[name])
    console.print(describe())
    if options.json:
        command = shlex.join(["python", "-m", "benchmarks.search.coarse", *sys.argv[1:]])
        write_result(options.json, command, {"vectors": options.vectors, "k": K, **facts})


def measure(data: Data, metric: str) -> dict[str, Any]:
    """Queries a second of each way to search, the best of some rounds, and the recall that was found."""
    plain = Index(data.codes.shape[1], metric=metric)
    plain.add(data.codes)
    exact = plain.search(data.queries, K, threads=2)
    ways: dict[str, Callable[[Any], Any]] = {"plain": partial(plain.search, k=K, threads=1)}
    found: dict[str, Any] = {}
    for coordinates, bits in SHAPES:
        index = copy.copy(plain)
        index.coarsen(coordinates, bits)
        coarse = cast("CoarseFacts", index.coarse)
        name = f"{coordinates} x {bits}"
        same, near = index.search(data.queries[:64], K), index.search(data.queries, K, recall=RECALL)
        if not np.array_equal(same.ids, exact.ids[:64]):
            raise AssertionError(f"{metric}, {name}: results with a coarse part differ from the plain ones")
        found[name] = {
            "share": coarse.share,
            "pays": pays(coarse, Shape(64, 8)),
            "memory": index.nbytes / plain.nbytes,
            "stated recall": near.recall,
            "recall": float((near.distances <= exact.distances[:, -1:]).mean()),
            "proved": float(np.mean(cast("Any", near.proved))),
        }
        ways[f"{name}, exact"] = partial(index.search, k=K, threads=1)
        ways[f"{name}, recall {RECALL}"] = partial(index.search, k=K, threads=1, recall=RECALL)
    best = dict.fromkeys(ways, 0.0)
    for _ in range(ROUNDS):
        for name, search in ways.items():
            start = time.perf_counter()
            for i in range(SINGLES):
                search(data.queries[i : i + 1])
            best[name] = max(best[name], SINGLES / (time.perf_counter() - start))
    ratios = {name: rate / best["plain"] for name, rate in best.items()}
    return {"coarse": found, "queries a second": best, "over plain": ratios}


def package_data(path: Path, n: int) -> Data:
    """Codes of a head that was trained on the vectors, of these with noise, and of unseen ones as queries."""
    with np.load(path) as arrays:
        train, test = arrays["train"].astype(np.float32), arrays["test"].astype(np.float32)
        CACHE.mkdir(parents=True, exist_ok=True)
        labels = {"y_train": arrays["train_labels"], "y_test": arrays["test_labels"]}
        np.savez(CACHE / "packages.npz", x_train=train, x_test=test, **labels)
    head = {"head": "two-layer", "start": "random", "lr": 3e-3, "noise": 0.1, "temperature": 0.1}
    settings: dict[str, Any] = {"space": "torusN", "dim": 128, "encoder": "none", "epochs": 10, **head}
    model = ht.train(CACHE / "packages.npz", CACHE / "model", **settings)
    rng, scale = np.random.default_rng(0), NOISE * train.std(axis=0)
    parts = []
    for begin in range(0, n, 50_000):
        rows = train[rng.integers(0, len(train), min(50_000, n - begin))]
        parts.append(model.encode(rows + scale * rng.standard_normal(rows.shape, np.float32), batch=8192))
    queries = model.encode(test[rng.permutation(len(test))[:QUERIES]])
    return Data(np.concatenate(parts), queries)


if __name__ == "__main__":
    main()
