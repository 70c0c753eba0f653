"""Exact search in cells against the plain scan and against approximate engines, on codes of a trained model.

    python -m benchmarks.search --arranged --json results/search-arranged.json --plot docs/images/search-arranged.png

One thread searches; two build. Queries are digits that neither the model nor the index has seen; batches are of the
same queries as those that are asked one at a time. All peers search one query at a time, and their recall is by
distance: the share of neighbours no further than the true tenth.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Column, Table

from benchmarks.search.contestants import K
from benchmarks.search.graphs import ENGINES, Engine, points_of
from hypertorus.bench.data import Codes, Data, clustered_data, trained_data, uniform_data
from hypertorus.search import Index, distances

QUERIES, BATCH, ROUNDS, BUILDERS = 1000, 256, 15, 2
Facts = dict[str, Any]


def measure(vectors: int, size: int, large: int, console: Console) -> Facts:
    """Everything, as one record that can be written to a file."""
    facts: Facts = {"vectors": vectors, "bytes": size, "k": K}
    data = trained_data(vectors, QUERIES, size)
    facts["trained"] = own = _own(data, ("l1", "l2", "cosine"))
    for kind, make in (("clustered", clustered_data), ("uniform", uniform_data)):
        facts[kind] = _own(make(vectors, QUERIES, size), ("l1",))
        gc.collect()
    facts["peers"] = {}
    for name, build in ENGINES.items():
        facts["peers"][name] = _curve(build(data, BUILDERS), data)
        console.print(name, facts["peers"][name])
        gc.collect()
    if large:
        del data
        gc.collect()
        facts["large"] = {"vectors": large, **_own(trained_data(large, QUERIES, size), ("l1",), plain=False)}
    facts["ratios"] = ratios(facts, own)
    return facts


def _own(data: Data, metrics: tuple[str, ...], *, plain: bool = True) -> Facts:
    """Queries a second of the index, before and after it is arranged."""
    facts: Facts = {}
    for metric in metrics:
        index = Index(data.codes.shape[1], metric=metric)
        index.add(data.codes)
        before = copy(index)
        expected = before.search(data.queries[:BATCH], K, threads=1)
        start = time.perf_counter()
        index.arrange(threads=BUILDERS)
        seconds = time.perf_counter() - start
        found = index.search(data.queries[:BATCH], K, threads=1)
        if not (np.array_equal(found.ids, expected.ids) and np.array_equal(found.distances, expected.distances)):
            raise AssertionError(f"{metric}: arranged and plain results differ")
        runs = {"plain": _runs(before, data.queries[:16], data.queries[:BATCH])} if plain else {}
        facts[metric] = {
            "plain": {},
            **_rates({**runs, "arranged": _runs(index, data.queries, data.queries)}),
            "arrange_seconds": seconds,
            "cells": index.cells,
            "share": index.share,
            "memory": index.nbytes / (data.codes.nbytes + 8 * len(data.codes)),
        }
        del index, before, runs
        gc.collect()
    return facts


Run = tuple[int, Callable[[], object]]
"""How many queries something searches for, and the search."""


def _runs(index: Index, singly: Codes, together: Codes) -> dict[str, Run]:
    def in_batches(queries: Codes, size: int) -> Run:
        def search() -> None:
            for begin in range(0, len(queries), size):
                index.search(queries[begin : begin + size], K, threads=1)

        return len(queries), search

    return {"single": in_batches(singly, 1), "batch": in_batches(together, BATCH)}


def _rates(runs: dict[str, dict[str, Run]]) -> dict[str, dict[str, float]]:
    """Queries a second, the best of some rounds; in each round all take their turn, for machines have moods."""
    best = {kind: dict.fromkeys(own, 0.0) for kind, own in runs.items()}
    for _ in range(ROUNDS):
        for kind, own in runs.items():
            for name, (count, search) in own.items():
                start = time.perf_counter()
                search()
                best[kind][name] = max(best[kind][name], count / (time.perf_counter() - start))
    return best


def _rate(run: Run) -> float:
    return _rates({"": {"": run}})[""][""]


def _curve(engine: Engine, data: Data) -> Facts:
    """Recall and queries a second, one query at a time, for each setting of the dial."""
    truth, queries = _Truth(engine.truth, data), len(data.queries)
    points: list[Facts] = []
    for setting in engine.dial:
        recall = truth.recall(np.concatenate([engine.search(setting, i, i + 1) for i in range(queries)]))

        def one_by_one(setting: int = setting) -> None:
            for i in range(queries):
                engine.search(setting, i, i + 1)

        points.append({"dial": setting, "recall": recall, "rate": _rate((queries, one_by_one))})
        if recall > 0.9995:
            break
    return {"build_seconds": engine.build_seconds, "curve": points}


class _Truth:
    """The true neighbours, by which recall is measured."""

    def __init__(self, metric: str, data: Data) -> None:
        self.metric, self.data = metric, data
        self.farthest: Any
        if metric == "points":
            import faiss

            self.points, self.queries = points_of(data.codes), points_of(data.queries)
            flat = faiss.IndexFlatIP(self.points.shape[1])
            flat.add(self.points)
            self.farthest = -flat.search(self.queries, K)[0][:, -1:] + 1e-6
        else:
            index = Index(data.codes.shape[1], metric=metric)
            index.add(data.codes)
            self.farthest = index.search(data.queries, K).distances[:, -1:]

    def recall(self, ids: Any) -> float:
        return float((self._distances(ids) <= self.farthest).mean())

    def _distances(self, ids: Any) -> Any:
        if self.metric == "points":
            return -np.einsum("qd,qkd->qk", self.queries, self.points[ids])
        rows = zip(self.data.queries, ids, strict=True)
        return np.concatenate([distances(query[None], self.data.codes[own], "l1") for query, own in rows])


def ratios(facts: Facts, own: Facts) -> dict[str, float]:
    l1, uniform = own["l1"], facts["uniform"]["l1"]
    single = l1["arranged"]["single"]
    found = {
        "arranged / plain, one at a time": single / l1["plain"]["single"],
        "cosine / l1, arranged": own["cosine"]["arranged"]["single"] / single,
        "l2 / l1, arranged": own["l2"]["arranged"]["single"] / single,
        f"batch of {BATCH} / one at a time, arranged": l1["arranged"]["batch"] / single,
        "memory / codes + ids": l1["memory"],
        "uniform, arranged / plain, one at a time": uniform["arranged"]["single"] / uniform["plain"]["single"],
        "uniform, arranged / plain, batch": uniform["arranged"]["batch"] / uniform["plain"]["batch"],
        "clustered, arranged / plain, one at a time": facts["clustered"]["l1"]["arranged"]["single"]
        / facts["clustered"]["l1"]["plain"]["single"],
    }
    for name, peer in facts["peers"].items():
        good = [point["rate"] for point in peer["curve"] if point["recall"] >= 0.99]
        found[f"arranged / {name} at recall 0.99"] = single / max(good) if good else float("inf")
        found[f"time to arrange / to build {name}"] = l1["arrange_seconds"] / peer["build_seconds"]
    if "large" in facts:
        found[f"{facts['large']['vectors']:,} codes / {facts['vectors']:,}"] = (
            facts["large"]["l1"]["arranged"]["single"] / single
        )
    return found


def table(facts: Facts) -> Table:
    shown = Table("ratio", Column("", justify="right"))
    for name, value in facts["ratios"].items():
        shown.add_row(name, f"{value:.3g}")
    return shown


def plot(facts: Facts, path: Path) -> None:
    """Queries per second against recall: the peers as curves, this index as a point at recall 1."""
    from hypertorus.report.style import COLOURS, figure, look, save

    styles = (("#0072B2", "o"), ("#009E73", "s"), ("#CC79A7", "^"))
    with look():
        fig = figure(7.0, 4.2)
        ax = fig.subplots()
        for (name, peer), (colour, marker) in zip(facts["peers"].items(), styles, strict=True):
            curve = [point for point in peer["curve"] if point["recall"] >= 0.8]
            ax.plot([p["recall"] for p in curve], [p["rate"] for p in curve], marker=marker, color=colour, label=name)
        own = facts["trained"]["l1"]
        for label, rate, marker in (
            ("hypertorus, arranged in cells", own["arranged"]["single"], "*"),
            ("hypertorus, plain scan", own["plain"]["single"], "X"),
        ):
            ax.plot(
                [1], [rate], marker, color=COLOURS["torusN"], markersize=14, label=f"{label} (exact)", clip_on=False
            )
        ax.set(yscale="log", xlabel="recall of the 10 nearest", ylabel="queries per second, one at a time, one thread")
        ax.set_title(f"{facts['vectors']:,} codes of {facts['bytes']} bytes of a trained model, unseen queries")
        ax.grid(alpha=0.25)
        ax.legend(frameon=False)
        save(fig, path)
