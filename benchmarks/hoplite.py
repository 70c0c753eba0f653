"""A database of perch-hoplite before and after its float16 vectors become codes: bytes, inserts, searches, recall.

python -m benchmarks.hoplite birds.npz --json results/hoplite.json

Windows are mixtures of two clips of the file each, with a little noise, since a file of clips has too few; queries are
clips of recordings that no window is of. Searches take turns, round after round, and each query's best round counts.
All times are of the processor, so that what else the machine does counts little.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from perch_hoplite.db.sqlite_usearch_impl import SQLiteUSearchDB, get_default_usearch_config
from rich.console import Console
from rich.table import Table

from benchmarks.fitted_codes import read
from benchmarks.machine import write_result
from hypertorus.coders import Coder, codes_for
from hypertorus.coders.fit import STEPS
from hypertorus.coders.recall import nearest_by_cosine
from hypertorus.coders.vectors import Floats, unit_rows
from hypertorus.integrations.hoplite import CodesDB, convert

K, BATCH, ROUNDS = 10, 60, 7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors", type=Path, help="an .npz file of vectors of clips")
    parser.add_argument("--windows", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--bytes", type=int, default=64)
    parser.add_argument("--steps", type=int, default=STEPS, help="steps of the fit of the coder")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    clips, queries = read(options.vectors)
    vectors, queries = mixtures(clips, options.windows), queries[: options.queries]
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder), vectors, queries, codes_for(vectors, bytes=options.bytes, steps=options.steps))
    table = Table("", "float16", "codes")
    for name, (before, after) in result.items():
        table.add_row(name, *("-" if value is None else f"{value:,.4g}" for value in (before, after)))
    Console().print(table)
    if options.json:
        arguments = [Path(argument).name if argument == str(options.vectors) else argument for argument in sys.argv[1:]]
        command = shlex.join(["python", "-m", "benchmarks.hoplite", *arguments])
        write_result(options.json, command, result)


def mixtures(clips: Floats, count: int) -> Floats:
    rng = np.random.default_rng(0)
    one, other = clips[rng.integers(0, len(clips), (2, count))]
    share = rng.uniform(0.5, 1, (count, 1)).astype(np.float32)
    mixed = unit_rows(share * one + (1 - share) * other)
    return unit_rows(mixed + 0.3 / np.sqrt(clips.shape[1]) * rng.standard_normal(mixed.shape, np.float32))


def measure(folder: Path, vectors: Floats, queries: Floats, coder: Coder) -> dict[str, tuple[Any, Any]]:
    before = SQLiteUSearchDB.create(str(folder / "before"), get_default_usearch_config(vectors.shape[1]))
    inserts = filled(before, vectors)
    began = time.process_time()
    after = convert(folder / "before", folder / "after", coder=coder)
    seconds = time.process_time() - began
    empty = CodesDB.create(folder / "empty", coder=coder)
    result: dict[str, tuple[Any, Any]] = {
        "windows": (len(vectors), len(vectors)),
        "bytes of vectors a window": (
            (folder / "before" / "usearch.index").stat().st_size / len(vectors),
            (folder / "after" / "codes.index").stat().st_size / len(vectors),
        ),
        "bytes on disk a window": (on_disk(before) / len(vectors), on_disk(after) / len(vectors)),
        "inserts a second": (inserts, filled(empty, vectors)),
        "bytes of the coder": (None, sum(path.stat().st_size for path in (folder / "after" / "coder").iterdir())),
        "seconds to convert, without the fit": (None, seconds),
    }
    exact = nearest_by_cosine(vectors, queries, K) + 1  # windows are numbered from 1
    runs = {
        "graph": lambda query: before.search(query, K),
        "exact": lambda query: before.search(query, K, approximate=False),
        "codes": lambda query: after.search(query, K),
    }
    fastest, recalls = taking_turns(runs, queries, exact)
    result["milliseconds a search, as it is by default"] = (fastest["graph"], fastest["codes"])
    result["milliseconds an exact search"] = (fastest["exact"], fastest["codes"])
    result["recall@10 of the default, against float cosine"] = (recalls["graph"], recalls["codes"])
    result["recall@10 of exact, against float cosine"] = (recalls["exact"], recalls["codes"])
    return result


def filled(database: SQLiteUSearchDB, vectors: Floats) -> float:
    """Insert all vectors, a recording at a time, and return how many a second."""
    began = time.process_time()
    deployment = database.insert_deployment(name="site", project="benchmark")
    for begin in range(0, len(vectors), BATCH):
        recording = database.insert_recording(filename=f"{begin}.wav", deployment_id=deployment)
        some = vectors[begin : begin + BATCH]
        windows = [{"recording_id": recording, "offsets": [5.0 * row, 5.0 * row + 5]} for row in range(len(some))]
        database.insert_windows_batch(windows, some, handle_duplicates="allow")
    database.commit()
    return len(vectors) / (time.process_time() - began)


def on_disk(database: SQLiteUSearchDB) -> int:
    database.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return sum(
        path.stat().st_size
        for path in Path(database.db_path).rglob("*")
        if path.is_file() and not path.name.endswith("-shm")
    )


def taking_turns(
    runs: dict[str, Callable[[Floats], Any]], queries: Floats, exact: Any
) -> tuple[dict[str, float], dict[str, float]]:
    """The mean over queries of the milliseconds of their best rounds, and the recall, of each run."""
    best = {name: np.full(len(queries), np.inf) for name in runs}
    recalls = {}
    for _ in range(ROUNDS):
        for name, search in runs.items():
            hits = []
            for row, (query, wanted) in enumerate(zip(queries, exact, strict=True)):
                began = time.process_time()
                found = search(query)
                best[name][row] = min(best[name][row], 1000 * (time.process_time() - began))
                hits.append(np.isin([int(result.window_id) for result in found], wanted).mean())
            recalls[name] = float(np.mean(hits))
    return {name: float(times.mean()) for name, times in best.items()}, recalls


if __name__ == "__main__":
    main()
