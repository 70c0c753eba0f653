"""Kills a process that arranges an index, adds to it and saves it in a loop; each that is opened answers exactly.

python tests/search/killed_arranges.py FOLDER ROUNDS
"""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

from hypertorus.search import Index

DIM, CODES = 16, 3000


def codes_of(count):
    return np.random.default_rng(7).integers(0, 256, (count, DIM), np.uint8)


def change(path, rows):
    while True:
        index = Index.open(path)
        if len(index) > CODES + 400:
            index = Index(DIM, metric="l1")
            index.add(rows[:CODES])
        else:
            index.add(rows[len(index) : len(index) + 50])
        index.arrange(16)
        index.save(path)


def main():
    path, rounds = Path(sys.argv[1]) / "index.safetensors", int(sys.argv[2])
    rows, rng = codes_of(CODES + 500), np.random.default_rng(0)
    queries = rows[::700]
    index = Index(DIM, metric="l1")
    index.add(rows[:CODES])
    index.save(path)
    arranged = 0
    for _ in range(rounds):
        child = os.fork()
        if child == 0:
            change(path, rows)
        time.sleep(rng.uniform(0, 0.15))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        index = Index.open(path)
        count = len(index)
        assert (count - CODES) % 50 == 0
        assert index.vectors(index.ids).tolist() == rows[:count].tolist()
        apart = np.abs((rows[:count, None] - queries[None]).view(np.int8).astype(int)).sum(axis=2).T
        assert index.search(queries, 5).distances.tolist() == np.sort(apart, axis=1)[:, :5].tolist()
        arranged += index.share < 1
    print(f"{rounds} processes killed while they added and arranged; each file was whole, {arranged} of them in cells")  # noqa: T201


if __name__ == "__main__":
    main()
