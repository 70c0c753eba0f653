"""How long the workbench takes to learn from answers, and to score every code of an index.

Random codes, since no time depends on what they are. The scan by tables is set beside the same sums by numpy, on codes
that numpy already has unpacked in memory; both take turns, and the best of several rounds counts. Times are those of
one core, as the system counts them for the process, so that others who use the machine change them little.

python -m benchmarks.scores
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.machine import write_result
from hypertorus.search import Index
from hypertorus.workbench import Items, Learner

CODES, DIM = 1_000_000, 64
LEARNT_ON, ANSWERS, YES = 100_000, 200, 50
ROUNDS = 5


def seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def by_numpy(codes: npt.NDArray[np.uint8], table: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the sums of one table, a few thousand codes at a time so that they stay in the cache."""
    sums = np.zeros(len(codes), np.int32)
    for begin in range(0, len(codes), 4096):
        columns = np.ascontiguousarray(codes[begin : begin + 4096].T)
        for entries, column in zip(table, columns, strict=True):
            sums[begin : begin + 4096] += entries.take(column)
    return sums


def scoring(bits: int) -> dict[str, float]:
    rng = np.random.default_rng(0)
    codes, index = rng.integers(0, 2**bits, (CODES, DIM), np.uint8), Index(DIM, bits=bits)
    index.add(codes)
    table = rng.integers(-3000, 3000, (DIM, 2**bits)).astype(np.int32)
    ways = {
        "scan": lambda: index.sums(table[None], 1),
        "numpy": lambda: by_numpy(codes, table),
    }
    np.testing.assert_array_equal(index.sums(table[None])[0], by_numpy(codes, table))
    rounds = [{name: seconds(way) for name, way in ways.items()} for _ in range(ROUNDS)]
    return {name: round(min(one[name] for one in rounds), 4) for name in ways}


def learning() -> float:
    rng = np.random.default_rng(0)
    index = Index(DIM)
    index.add(rng.integers(0, 256, (LEARNT_ON, DIM), np.uint8))
    items = Items.of(index)
    learner = Learner(index, items)
    rows = rng.choice(LEARNT_ON, ANSWERS, replace=False).tolist()
    said = {items.key(row): "yes" if number < YES else "no" for number, row in enumerate(rows)}
    learner.learn("class", said)
    return round(min(seconds(lambda: learner.learn("class", said)) for _ in range(ROUNDS)), 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the results")
    options = parser.parse_args()
    scored = {f"{bits} bits": scoring(bits) for bits in (8, 4, 2, 1)}
    result = {
        "codes": CODES,
        "coordinates": DIM,
        "seconds to score": scored,
        "answers": ANSWERS,
        "codes learnt on": LEARNT_ON,
        "seconds to learn": learning(),
    }
    for name, value in result.items():
        print(f"{name:20} {value}")
    write_result(options.out / "scores.json", "python -m benchmarks.scores", result)


if __name__ == "__main__":
    main()
