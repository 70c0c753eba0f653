"""Kills a process that saves two models in turn, again and again, while another reads; each load is one of the two.

python tests/models/killed_model_saves.py FOLDER ROUNDS
"""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import torch

from hypertorus.models import Model, load
from hypertorus.models.encoders import encoder

VECTORS = np.random.default_rng(0).standard_normal((3, 200))


def make(seed):
    torch.manual_seed(seed)
    return Model(encoder("mlp:256", (200,)), (200,), 16, "torusN", classes=(f"of seed {seed}",))


def facts(model):
    return model.classes, model.embed(VECTORS).tolist()


def read_until_gone(folder, wanted, stop):
    """Load until a file `stop` is there; leave how often in it."""
    loads, parent = 0, os.getppid()
    while not stop.exists() and os.getppid() == parent:
        assert facts(load(folder)) in wanted
        loads += 1
    stop.write_text(str(loads))
    os._exit(0)


def main():
    folder, rounds = Path(sys.argv[1]), int(sys.argv[2])
    torch.set_num_threads(1)
    models = [make(0), make(1)]
    wanted = [facts(model) for model in models]
    models[0].save(folder)
    stop = folder.with_name("stop")
    reader = os.fork()
    if reader == 0:
        read_until_gone(folder, wanted, stop)
    rng = np.random.default_rng(0)
    for _ in range(rounds):
        child = os.fork()
        if child == 0:
            while True:
                for model in models[::-1]:
                    model.save(folder)
        time.sleep(rng.uniform(0, 0.03))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert facts(load(folder)) in wanted
    stop.touch()
    _, status = os.waitpid(reader, 0)
    assert status == 0, "the process that read meanwhile was refused, or got a mixture"
    models[1].save(folder)
    assert facts(load(folder)) == wanted[1]
    print(f"{rounds} saves killed, {stop.read_text()} loads meanwhile: each gave one model or the other, whole")  # noqa: T201


if __name__ == "__main__":
    main()
