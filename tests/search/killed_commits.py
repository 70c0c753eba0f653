"""Kills processes that change an index in a loop; whatever they were at, what they committed is there, and no more.

python tests/search/killed_commits.py FOLDER ROUNDS
"""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

from hypertorus.search import Index, _store

BATCH = 50


def change(path, done):
    """Add batches of codes, of which each replaces the last but ten, and say of each when it is committed."""
    while True:
        with Index.editing(path) as index:
            begin = index._state.next_id
            batch = begin // BATCH
            index.add(np.full((BATCH, 8), batch % 256), labels=[f"batch {batch}"] * BATCH, names=["name"] * BATCH)
            if batch >= 10:
                index.remove(np.arange(begin - 10 * BATCH, begin - 9 * BATCH))
        os.write(done, b"x")


def main():
    path, rounds = Path(sys.argv[1]) / "index", int(sys.argv[2])
    _store.LEAST_TO_FOLD = 30_000  # some fold the journal in
    start = Index(8, metric="l1")
    start.add(np.zeros((BATCH, 8), np.uint8), labels=["batch 0"] * BATCH, names=["name"] * BATCH)
    start.save(path)
    rng = np.random.default_rng(0)
    committed = 1
    for _ in range(rounds):
        heard, said = os.pipe()
        children = []
        for _ in range(2):
            children.append(os.fork())
            if children[-1] == 0:
                change(path, said)
        os.close(said)
        time.sleep(rng.uniform(0, 0.08))
        for child in children:
            os.kill(child, signal.SIGKILL)
        for child in children:
            os.waitpid(child, 0)
        with os.fdopen(heard, "rb") as pipe:
            committed += len(pipe.read())
        index = Index.open(path)
        batches = index._state.next_id // BATCH
        assert committed <= batches <= committed + 2, (committed, batches)
        committed = batches  # one may be written whose process was killed before it could say so
        kept = range(max(0, batches - 10), batches)
        assert index.ids.tolist() == list(range(kept.start * BATCH, kept.stop * BATCH))
        assert index.vectors(index.ids)[:, 0].tolist() == [batch % 256 for batch in kept for _ in range(BATCH)]
        assert index.labels.tolist() == [f"batch {batch}" for batch in kept for _ in range(BATCH)]
    print(f"{2 * rounds} processes killed; all of their {committed} commits are there")  # noqa: T201
    assert committed > rounds // 2


if __name__ == "__main__":
    main()
