"""Queries per second of exact torus search and of its peers, and the ratios that matter.

    python -m benchmarks.search                        # 1,000,000 vectors of 64 bytes, 1 thread: some minutes
    python -m benchmarks.search --sizes 16 32 64 128 --threads 1 2 --json results/search.json    # as in the documents
    python -m benchmarks.search --arranged                                                       # cells against graphs
    python -m benchmarks.search --asymmetric                                    # queries that are not rounded, or are

Contestants take turns, round after round, and the best round of each counts, so that whatever else the machine does
hits all alike. Numbers compare within one block of the table only.
"""

from __future__ import annotations

import argparse
import gc
import math
import os
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import faiss
import torch
from rich.console import Console, Group
from rich.progress import Progress, TimeRemainingColumn
from rich.table import Column, Table

from benchmarks.machine import describe, write_result
from benchmarks.search.contestants import Search, equal_bytes, ours, peers
from benchmarks.search.memory import Bandwidth, opened_index_memory
from hypertorus.bench.data import clustered_data, uniform_data

BATCH = 256
SLOW = {"faiss FlatIP float32": BATCH, "faiss ScalarQuantizer 8 bit": 32, "usearch exact int8": 64, "numpy": 8}
"""These take two rounds only, and those that gain nothing from a large batch a smaller one."""

Block = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="every size, both kinds of data, 1 and 2 threads")
    parser.add_argument("--arranged", action="store_true", help="cells against the plain scan and approximate engines")
    parser.add_argument("--asymmetric", action="store_true", help="asymmetric search against symmetric search")
    parser.add_argument("--large", type=int, default=10_000_000, help="codes of the large index of --arranged")
    parser.add_argument("--vectors", type=int, default=1_000_000)
    parser.add_argument("--sizes", type=int, nargs="+", default=[64], help="bytes a vector")
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    if options.arranged:
        arranged(options)
        return
    if options.asymmetric:
        asymmetric(options)
        return
    sizes = [8, 16, 32, 64, 128] if options.full else options.sizes
    threads = [1, 2] if options.full else options.threads
    kinds = {"random": uniform_data, "clustered": clustered_data} if options.full else {"random": uniform_data}
    console = Console()
    blocks: list[Block] = []
    for kind, make in kinds.items():
        for size in sizes:
            data = make(options.vectors, BATCH, size)
            for count in threads:
                block = {"data": kind, "bytes": size, "threads": count, **measure(data, count, options.rounds)}
                ratios = {name: ratio(block, options.vectors) for name, ratio in RATIOS.items()}
                block["ratios"] = {name: value for name, value in ratios.items() if not math.isnan(value)}
                if one := next((b for b in blocks if _same(b, block) and b["threads"] == 1), None):
                    both = "hypertorus 8-bit l1"
                    block["ratios"][f"l1 batch, {count} threads / 1"] = block["batch"][both] / one["batch"][both]
                else:
                    block["ratios"]["opened index, memory / codes + ids"] = opened_index_memory(data.codes)
                blocks.append(block)
                console.print(tables(block))
            gc.collect()
    console.print(describe())
    if options.json:
        write_result(options.json, command(), blocks)
    if options.plot:
        from benchmarks.search.plot import plot

        plot(blocks, options.plot)


def arranged(options: argparse.Namespace) -> None:
    from benchmarks.search.arranged import measure as measure_cells
    from benchmarks.search.arranged import plot as plot_cells
    from benchmarks.search.arranged import table

    console = Console()
    facts = measure_cells(options.vectors, options.sizes[0], options.large, console)
    console.print(table(facts))
    console.print(describe())
    if options.json:
        write_result(options.json, command(), facts)
    if options.plot:
        plot_cells(facts, options.plot)


def asymmetric(options: argparse.Namespace) -> None:
    from benchmarks.search.asymmetric import measure as measure_asymmetric
    from benchmarks.search.asymmetric import table

    console, coordinates = Console(), options.sizes[0]
    facts = measure_asymmetric(options.vectors, coordinates, BATCH, options.rounds)
    console.print(table(facts, options.vectors, coordinates))
    console.print(describe())
    if options.json:
        write_result(options.json, command(), facts)


def command() -> str:
    """Return the command that is running."""
    return shlex.join(["python", "-m", "benchmarks.search", *sys.argv[1:]])


def _same(block: Block, other: Block) -> bool:
    return block["data"] == other["data"] and block["bytes"] == other["bytes"]


def measure(data: Any, threads: int, rounds: int) -> Block:
    os.environ["OMP_NUM_THREADS"] = str(threads)
    faiss.omp_set_num_threads(threads)
    torch.set_num_threads(threads)
    size = data.codes.shape[1]
    contestants = {**ours(data, threads), **equal_bytes(data, threads), **(peers(data, threads) if size >= 16 else {})}
    bandwidth = Bandwidth()
    single, batch = dict.fromkeys(contestants, 0.0), dict.fromkeys(contestants, 0.0)
    with Progress(*Progress.get_default_columns()[:-1], TimeRemainingColumn(), transient=True) as progress:
        task = progress.add_task(f"{size} bytes, {threads} thread(s)", total=rounds * len(contestants))
        for round_ in range(rounds):
            for name, search in contestants.items():
                progress.advance(task)
                if name in SLOW and round_ >= 2:
                    continue
                bandwidth()
                single[name] = max(single[name], rate(search, 1, 1 if name in SLOW else 8))
                batch[name] = max(batch[name], rate(search, SLOW.get(name, BATCH), 1))
    return {"bandwidth": bandwidth.best, "single": single, "batch": batch}


def rate(search: Search, count: int, times: int) -> float:
    """Queries per second of `times` calls with `count` queries each."""
    start = time.perf_counter()
    for _ in range(times):
        search(count)
    return count * times / (time.perf_counter() - start)


RATIOS: dict[str, Callable[[Block, int], float]] = {
    "l1 batch / faiss PQFastScan, equal bytes": lambda b, _: _over(b, "hypertorus 8-bit l1", "faiss PQFastScan"),
    "l1 batch / stronger float32 peer": lambda b, _: min(
        _over(b, "hypertorus 8-bit l1", name) for name in ("faiss FlatIP float32", "torch matmul + topk float32")
    ),
    "l1 batch / faiss FlatIP float32": lambda b, _: _over(b, "hypertorus 8-bit l1", "faiss FlatIP float32"),
    "l1 single, share of memory bandwidth": lambda b, n: (
        b["single"]["hypertorus 8-bit l1"] * n * b["bytes"] / b["bandwidth"]
    ),
    "l2 / l1, batch": lambda b, _: _over(b, "hypertorus 8-bit l2", "hypertorus 8-bit l1"),
    "cosine / l1, batch": lambda b, _: _over(b, "hypertorus 8-bit cosine", "hypertorus 8-bit l1"),
    "4-bit / 8-bit l1, single": lambda b, _: _over(b, "hypertorus 4-bit l1", "hypertorus 8-bit l1", "single"),
    "2-bit / faiss BinaryFlat, equal bytes, batch": lambda b, _: _over(
        b, "hypertorus 2-bit l1, equal bytes", "faiss BinaryFlat"
    ),
}


def _over(block: Block, own: str, other: str, mode: str = "batch") -> float:
    return float(block[mode][own] / block[mode][other]) if other in block[mode] else float("nan")


def tables(block: Block) -> Group:
    heading = f"{block['data']}, {block['bytes']} bytes a vector, {block['threads']} thread(s)"
    rates = Table(title=f"{heading}; memory {block['bandwidth'] / 1e9:.1f} GB/s", title_justify="left")
    rates.add_column("queries per second", no_wrap=True)
    rates.add_column(f"batch of {BATCH}", justify="right")
    rates.add_column("one at a time", justify="right")
    for name, batch in block["batch"].items():
        rates.add_row(name, f"{batch:,.0f}", f"{block['single'][name]:,.0f}")
    shown = Table("ratio", Column("", justify="right"))
    for name, value in block["ratios"].items():
        shown.add_row(name, f"{value:.2f}")
    return Group(rates, shown)


if __name__ == "__main__":
    main()
