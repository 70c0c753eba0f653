"""Shards searched by one and two workers, processes and Dask, against one process with one index of the same codes.

    python -m benchmarks.cluster --json results/cluster.json

Every worker has one thread, and so has the one process; two threads in one process show what the two cores of this
machine give at best. Only the workers being measured run: idle ones of Dask take some of the cores, too. Within
each round they and the one process take their turn, and each is measured by its best round. The overhead of a call is
what a search of a thousand codes takes longer than in the plain index.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
CALM_DASK = {"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "500ms"}
"""As docs/scale.md advises: else workers, scheduler and client take some of the cores while they wait."""
KINDS = ("plain", "single", "arranged")
Facts = dict[str, Any]
Search = Callable[[], object]


def measure(codes: int, size: int, rounds: int) -> Facts:
    """Everything, as one record that can be written to a file."""
    uniform, clusters = uniform_data(codes, BATCH, size), clustered_data(codes, BATCH, size)
    few = uniform_data(SMALL, 1, size)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(uniform, folder / "plain")
        _write(clusters, folder / "arranged", arrange=True)
        _write(few, folder / "few")
        workers: dict[str, Facts] = {}
        for engine, start in (("processes", _processes), ("dask", _dask)):
            for number in (1, 2):
                begun = time.perf_counter()
                with start(number) as shard_map:
                    ShardedIndex.open(folder / "few", shard_map).search(few.queries)
                    facts: Facts = {"start_seconds": time.perf_counter() - begun}
                    one_query = Data(uniform.codes, uniform.queries[:1])
                    for kind, data in zip(KINDS, (uniform, one_query, clusters), strict=True):
                        searches = _searches(data, folder / kind.replace("single", "plain"), shard_map)
                        facts[kind] = _rates(searches, len(data.queries), rounds)
                    facts["overhead_ms"] = _overhead(_searches(few, folder / "few", shard_map), 10 * rounds)
                workers[f"{engine} {number}"] = facts
        return {
            "codes": codes,
            "bytes": size,
            "shards": SHARDS,
            "batch": BATCH,
            "k": K,
            "file_bytes": sum(path.stat().st_size for path in (folder / "plain").iterdir()),
            "share": Index.open(folder / "arranged" / "shard-00000.index", verify=False).share,
            "workers": workers,
        }


@contextmanager
def _processes(workers: int) -> Iterator[ShardMap]:
    with ProcessMap(workers) as processes:
        yield processes


@contextmanager
def _dask(workers: int) -> Iterator[ShardMap]:
    import dask
    from distributed import Client, LocalCluster

    options: Facts = {"threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": 0, "silence_logs": 50}
    with (
        dask.config.set(CALM_DASK),
        LocalCluster(n_workers=workers, **options) as cluster,  # type: ignore[no-untyped-call]
        Client(cluster) as client,  # type: ignore[no-untyped-call]
    ):
        yield DaskMap(client)


def _write(data: Data, folder: Path, *, arrange: bool = False) -> None:
    """Writes the codes as shards, and as one index beside them."""
    ShardedIndex.build(data.codes, folder, SHARDS, metric="l1", arrange=arrange)
    all_codes = Index(data.codes.shape[1], metric="l1")
    all_codes.add(data.codes)
    if arrange:
        all_codes.arrange()
    all_codes.save(folder.with_suffix(".index"))


def _searches(data: Data, folder: Path, shard_map: ShardMap) -> dict[str, Search]:
    """The search of each contestant, all with one thread a worker, once all have given the same answer."""
    one, shards = Index.open(folder.with_suffix(".index")), ShardedIndex.open(folder, shard_map)
    searches: dict[str, Search] = {
        "one process": lambda: one.search(data.queries, K, threads=1),
        "two threads": lambda: one.search(data.queries, K, threads=2),
        "workers": lambda: shards.search(data.queries, K, threads=1),
    }
    expected = one.search(data.queries, K)
    for name, search in searches.items():
        found: Any = search()
        if not (np.array_equal(found.ids, expected.ids) and np.array_equal(found.distances, expected.distances)):
            raise AssertionError(f"{name}: other neighbours than those of one index")
    return searches


def _seconds(searches: dict[str, Search], rounds: int) -> dict[str, list[float]]:
    """How long each search takes, round by round; in each round all take their turn."""
    seconds: dict[str, list[float]] = {name: [] for name in searches}
    for _ in range(rounds):
        for name, search in searches.items():
            start = time.perf_counter()
            search()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def _rates(searches: dict[str, Search], queries: int, rounds: int) -> Facts:
    """Queries a second of each in its best round, and how many times those of one process that is."""
    rates = {name: queries / min(own) for name, own in _seconds(searches, rounds).items()}
    return {"rates": rates, "ratios": {name: rate / rates["one process"] for name, rate in rates.items()}}


def _overhead(searches: dict[str, Search], calls: int) -> dict[str, float]:
    """Milliseconds that a call of workers takes longer than in the plain index: the least, and the median."""
    seconds = _seconds(searches, calls)
    own, plain = seconds["workers"], seconds["one process"]
    return {"least": 1e3 * (min(own) - min(plain)), "median": 1e3 * float(np.median(own) - np.median(plain))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--codes", type=int, default=4_000_000)
    parser.add_argument("--bytes", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    facts = measure(arguments.codes, arguments.bytes, arguments.rounds)
    table = Table("workers", "plain q/s", "over one process", "two threads", "arranged", "two threads", "call: ms more")
    for name, own in facts["workers"].items():
        plain, arranged = own["plain"]["ratios"], own["arranged"]["ratios"]
        ratios = [f"{kind[who]:.2f}" for kind in (plain, arranged) for who in ("workers", "two threads")]
        overhead = f"{own['overhead_ms']['least']:.1f} ({own['overhead_ms']['median']:.1f})"
        table.add_row(name, f"{own['plain']['rates']['workers']:,.0f}", *ratios, overhead)
    Console().print(table)
    if arguments.json:
        write_result(arguments.json, f"python -m benchmarks.cluster {' '.join(sys.argv[1:])}", facts)


if __name__ == "__main__":
    main()
