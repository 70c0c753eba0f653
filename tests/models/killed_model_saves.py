"""Kills a process that saves two models in turn, again and again; the folder holds one of them, or says it is neither.

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


def make(seed):
    torch.manual_seed(seed)
    return Model(encoder("mlp:256", (200,)), (200,), 16, "torusN")


def main():
    folder, rounds = Path(sys.argv[1]), int(sys.argv[2])
    torch.set_num_threads(1)
    models = [make(0), make(1)]
    vectors = np.random.default_rng(0).standard_normal((3, 200))
    wanted = [model.embed(vectors).tolist() for model in models]
    models[0].save(folder)
    rng = np.random.default_rng(0)
    whole = 0
    for _ in range(rounds):
        child = os.fork()
        if child == 0:
            while True:
                for model in models[::-1]:
                    model.save(folder)
        time.sleep(rng.uniform(0, 0.03))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        try:
            points = load(folder).embed(vectors).tolist()
        except ValueError as error:
            assert "does not match the checksum in config.json" in str(error)  # noqa: PT017
        else:
            assert points in wanted
            whole += 1
    models[1].save(folder)
    assert load(folder).embed(vectors).tolist() == wanted[1]
    print(f"{rounds} processes killed; the folder was whole {whole} times, and said that it was not each other time")  # noqa: T201


if __name__ == "__main__":
    main()
