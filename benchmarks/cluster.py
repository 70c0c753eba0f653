"""Shards searched by one and two workers, processes and Dask, against one process with one index of the same codes.

    python -m benchmarks.cluster --json results/cluster.json

Every worker has one thread, and so has the one process; two threads in one process show what the two cores of this
machine give at best. Within each round all take their turn, and each is measured by its best round. The overhead of a
call is what a search of a thousand codes takes longer than in the plain index.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.machine import write_result
from hypertorus.bench.data import Data, clustered_data, uniform_data
from hypertorus.search import Index
from hypertorus.shards import DaskMap, ProcessMap, ShardedIndex
from hypertorus.shards.asking import ShardMap

BATCH, SHARDS, SMALL, K = 256, 2, 1000, 10
Facts = dict[str, Any]
Search = Callable[[], object]


def measure(codes: int, size: int, rounds: int) -> Facts:
    """Everything, as one record that can be written to a file."""
    facts: Facts = {"codes": codes, "bytes": size, "shards": SHARDS, "batch": BATCH, "k": K, "start_seconds": {}}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        few, maps = uniform_data(SMALL, 1, size), dict[str, ShardMap]()
        ShardedIndex.build(few.codes, folder / "first", SHARDS, metric="l1")
        for name, engine in (("processes", _processes), ("dask", _dask)):
            for workers in (1, 2):
                start = time.perf_counter()
                shard_map = maps[f"{name} {workers}"] = stack.enter_context(engine(workers))
                ShardedIndex.open(folder / "first", shard_map).search(few.queries)
                facts["start_seconds"][f"{name} {workers}"] = time.perf_counter() - start
        data = uniform_data(codes, BATCH, size)
        searches = _searches(data, folder / "plain", maps)
        facts["plain"] = _rates(searches, BATCH, rounds)
        facts["plain_single"] = _rates(_searches(Data(data.codes, data.queries[:1]), folder / "plain", maps), 1, rounds)
        facts["file_bytes"] = sum(path.stat().st_size for path in (folder / "plain").iterdir())
        clusters = clustered_data(codes, BATCH, size)
        searches = _searches(clusters, folder / "arranged", maps, arrange=True)
        facts["arranged"] = _rates(searches, BATCH, rounds)
        facts["share"] = Index.open(folder / "arranged" / "shard-00000.index", verify=False).share
        facts["overhead_ms"] = _overheads(_searches(few, folder / "few", maps), 10 * rounds)
    facts["ratios"] = {kind: _ratios(facts[kind]) for kind in ("plain", "arranged")}
    return facts


@contextmanager
def _processes(workers: int) -> Iterator[ShardMap]:
    with ProcessMap(workers) as processes:
        yield processes


@contextmanager
def _dask(workers: int) -> Iterator[ShardMap]:
    from distributed import Client, LocalCluster

    options: Facts = {"threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": 0, "silence_logs": 50}
    with LocalCluster(n_workers=workers, **options) as cluster, Client(cluster) as client:  # type: ignore[no-untyped-call]
        yield DaskMap(client)


def _searches(data: Data, folder: Path, maps: dict[str, ShardMap], *, arrange: bool = False) -> dict[str, Search]:
    """The search of each contestant, all with one thread a worker, once all have given the same answer."""
    whole = folder.with_suffix(".index")
    if not folder.exists():
        ShardedIndex.build(data.codes, folder, SHARDS, metric="l1", arrange=arrange)
        all_codes = Index(data.codes.shape[1], metric="l1")
        all_codes.add(data.codes)
        if arrange:
            all_codes.arrange()
        all_codes.save(whole)
    one = Index.open(whole)
    searches: dict[str, Search] = {
        "one process": lambda: one.search(data.queries, K, threads=1),
        "two threads": lambda: one.search(data.queries, K, threads=2),
    }
    for name, shard_map in maps.items():
        index = ShardedIndex.open(folder, shard_map)
        searches[name] = lambda index=index: index.search(data.queries, K, threads=1)  # type: ignore[misc]
    expected = one.search(data.queries, K)
    for name, search in searches.items():
        found: Any = search()
        if not (np.array_equal(found.ids, expected.ids) and np.array_equal(found.distances, expected.distances)):
            raise AssertionError(f"{name} finds other neighbours than one index")
    return searches


def _rates(searches: dict[str, Search], queries: int, rounds: int) -> dict[str, float]:
    """Queries a second of each, the best of some rounds; in each round all take their turn."""
    best = dict.fromkeys(searches, 0.0)
    for _ in range(rounds):
        for name, search in searches.items():
            start = time.perf_counter()
            search()
            best[name] = max(best[name], queries / (time.perf_counter() - start))
    return best


def _overheads(searches: dict[str, Search], calls: int) -> dict[str, dict[str, float]]:
    """Milliseconds that a call takes longer than in the plain index: the least, and the median."""
    seconds: dict[str, list[float]] = {name: [] for name in searches}
    for _ in range(calls):
        for name, search in searches.items():
            start = time.perf_counter()
            search()
            seconds[name].append(time.perf_counter() - start)
    plain = seconds.pop("one process")
    return {
        name: {"least": 1e3 * (min(own) - min(plain)), "median": 1e3 * float(np.median(own) - np.median(plain))}
        for name, own in seconds.items()
    }


def _ratios(rates: dict[str, float]) -> dict[str, float]:
    return {name: rate / rates["one process"] for name, rate in rates.items() if name != "one process"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--codes", type=int, default=4_000_000)
    parser.add_argument("--bytes", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    facts = measure(arguments.codes, arguments.bytes, arguments.rounds)
    table = Table("workers", "plain q/s", "over one process", "arranged q/s", "over one process", "call: ms more")
    for name, rate in facts["plain"].items():
        ratios = [f"{facts['ratios'][kind].get(name, 1):.2f}" for kind in ("plain", "arranged")]
        overhead = facts["overhead_ms"].get(name)
        told = "-" if overhead is None else f"{overhead['least']:.1f} ({overhead['median']:.1f})"
        table.add_row(name, f"{rate:,.0f}", ratios[0], f"{facts['arranged'][name]:,.0f}", ratios[1], told)
    Console().print(table)
    if arguments.json:
        write_result(arguments.json, f"python -m benchmarks.cluster {' '.join(sys.argv[1:])}", facts)


if __name__ == "__main__":
    main()
