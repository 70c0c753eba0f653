"""Kills a process that saves in a loop, again and again; whatever it was at, the file must be whole.

python tests/search/killed_saves.py FOLDER ROUNDS
"""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

from hypertorus.search import Index


def make(value):
    index = Index(16, metric="l1")
    index.add(np.full((20_000 + value, 16), value, np.uint8))
    return index


def main():
    path, rounds = Path(sys.argv[1]) / "index.safetensors", int(sys.argv[2])
    states = [make(1), make(2)]
    states[0].save(path)
    wanted = [(20_000 + value, [[value] * 16]) for value in (1, 2)]
    rng = np.random.default_rng(0)
    seen, interrupted, known = set(), 0, 0
    for _ in range(rounds):
        child = os.fork()
        if child == 0:
            while True:
                for index in states[::-1]:
                    index.save(path)
        time.sleep(rng.uniform(0, 0.03))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        index = Index.open(path)
        seen.add(wanted.index((len(index), index.vectors([0]).tolist())))
        leftovers = list(path.parent.glob(".*.partial"))
        interrupted += len(leftovers) > known
        for leftover in leftovers[1:]:  # one stays: the next save must not mind it
            leftover.unlink()
        known = min(1, len(leftovers))
    states[0].save(path)
    assert len(Index.open(path)) == 20_001
    assert seen == {0, 1}, seen
    assert interrupted > rounds // 10, f"only {interrupted} of {rounds} were killed while saving"
    print(f"{rounds} processes killed, {interrupted} of them while saving; the file was whole each time")  # noqa: T201


if __name__ == "__main__":
    main()
