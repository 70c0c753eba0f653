"""Kills trainings again and again, and moves their folder each time; in the end the model is that of an unkilled one.

python tests/training/killed_trainings.py FOLDER KILLS
"""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import torch

from hypertorus.datasets import Data, InMemory
from hypertorus.training import Settings, run_training

SETTINGS = Settings(
    dim=8, epochs=6, batch=50, lr=0.5, schedule="constant", encoder="none", head="linear", patience=6, seed=2
)


def blobs(n=200, classes=10, features=8):
    draw = torch.Generator().manual_seed(0)
    labels = torch.randint(classes, (2 * n,), generator=draw)
    vectors = torch.randn(classes, features, generator=draw)[labels]
    vectors += 0.8 * torch.randn(2 * n, features, generator=draw)
    parts = [InMemory(vectors[rows], labels[rows]) for rows in (slice(n), slice(n, None))]
    return Data("blobs", *parts, tuple(map(str, range(classes))))


def main():
    folder, kills = Path(sys.argv[1]), int(sys.argv[2])
    torch.set_num_threads(1)
    data, rng = blobs(), np.random.default_rng(0)
    run_training(data, SETTINGS, folder / "first", show=False)  # which imports what the others find imported
    began = time.monotonic()
    run_training(data, SETTINGS, folder / "whole", show=False)
    longest = time.monotonic() - began
    wanted = {name: (folder / "whole" / name).read_bytes() for name in ("model.safetensors", "config.json")}
    killed = finished = 0
    place = folder / "0"
    while killed < kills:
        child = os.fork()
        if child == 0:
            run_training(data, SETTINGS, place, show=False)
            os._exit(0)
        time.sleep(rng.uniform(0, 0.6 * longest))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        killed += os.WIFSIGNALED(status)
        if not os.WIFSIGNALED(status):
            assert os.WEXITSTATUS(status) == 0
            assert {name: (place / name).read_bytes() for name in wanted} == wanted
            assert not list((place / "run").glob("*.ckpt"))
            finished += 1
            place = folder / str(finished)
        elif place.exists():
            place.rename(folder / "moved")
            place = folder / str(killed * 1000 + finished)
            (folder / "moved").rename(place)
    print(f"{killed} trainings killed and moved; the {finished} that ended have the same model, bit for bit")  # noqa: T201
    assert finished


if __name__ == "__main__":
    main()
