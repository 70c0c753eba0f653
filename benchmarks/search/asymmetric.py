"""What it costs not to round a query: asymmetric search against the symmetric search of the same codes, bit by bit.

Both take turns on the same index, and the least processor time of each counts, so that whatever else the machine does
hits neither.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from rich.table import Column, Table

from hypertorus.search import Index, isa_name, isas, use_isa

K = 10
BITS = (4, 2, 1)
Facts = list[dict[str, Any]]


def measure(vectors: int, dim: int, batch: int, rounds: int) -> Facts:
    """Processor milliseconds of a batch, and of one query, by instruction set and bits, in one thread."""
    usual, facts = isa_name(), []
    rng = np.random.default_rng(dim)
    turns = rng.random((batch, dim), np.float32)
    for bits in BITS:
        codes = rng.integers(0, 2**bits, (vectors, dim), np.uint8)
        indexes = {metric: Index(dim, bits, metric) for metric in ("l1", "cosine")}
        for index in indexes.values():
            index.add(codes)
        asked = {"l1": indexes["l1"], "cosine": indexes["cosine"], "asymmetric": indexes["cosine"]}
        rounded = (turns * 2**bits).astype(np.uint8)
        for isa in (name for name in isas() if name != "serial"):
            use_isa(isa)
            for count in (batch, 1):
                queries = {name: (turns if name == "asymmetric" else rounded)[:count] for name in asked}
                facts.append({"isa": isa, "bits": bits, "queries": count, **_fastest(asked, queries, rounds)})
        use_isa(usual)
    return facts


def _fastest(asked: dict[str, Index], queries: dict[str, Any], rounds: int) -> dict[str, float]:
    best = dict.fromkeys(asked, float("inf"))
    for _ in range(rounds):
        for name, index in asked.items():
            start = time.process_time()
            index.search(queries[name], K, threads=1)
            best[name] = min(best[name], 1000 * (time.process_time() - start))
    return best


def table(facts: Facts, vectors: int, dim: int) -> Table:
    right = [Column(name, justify="right") for name in ("bits", "queries", "l1 ms", "cosine ms", "asymmetric ms")]
    ratios = [Column(f"asymmetric / {name}", justify="right") for name in ("l1", "cosine")]
    shown = Table("kernels", *right, *ratios, title=f"{vectors:,} codes of {dim} coordinates, one thread")
    for row in facts:
        times = [row[name] for name in ("l1", "cosine", "asymmetric")]
        shown.add_row(
            *(str(row[name]) for name in ("isa", "bits", "queries")),
            *(f"{number:.2f}" for number in times),
            *(f"{times[2] / number:.2f}" for number in times[:2]),
        )
    return shown
