"""Kills a process that saves two indexes of sounds in turn, again and again; its folder is one of them or absent.

python tests/listen/killed_sound_saves.py FOLDER ROUNDS
"""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import soundfile
import torch

from hypertorus.listen.index import SoundIndex
from hypertorus.models import Model
from hypertorus.models.encoders import encoder
from hypertorus.sound.spectrogram import Spectrogram


def main():
    here, rounds = Path(sys.argv[1]), int(sys.argv[2])
    torch.set_num_threads(1)
    rng, sound = np.random.default_rng(0), Spectrogram(seconds=0.25, bands=8)
    Model(encoder("none", sound.shape), sound.shape, 8, "torusN", sound=sound).save(here / "model")
    indexes = []
    for name, seconds in (("few", 1), ("many", 60)):
        (here / name).mkdir()
        soundfile.write(here / name / f"{name}.wav", rng.normal(size=16_000 * seconds) / 10, 16_000)
        indexes.append(SoundIndex.build(here / name, here / "model"))
    wanted = [(index.folder, len(index.index)) for index in indexes]
    whole = 0
    for _ in range(rounds):
        child = os.fork()
        if child == 0:
            while True:
                for index in indexes:
                    index.save(here / "sounds")
        time.sleep(rng.uniform(0, 0.05))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        if (here / "sounds").exists():
            found = SoundIndex.open(here / "sounds")
            assert (found.folder, len(found.index)) in wanted
            assert len(found.windows) == len(found.index)
            whole += 1
    indexes[1].save(here / "sounds")
    assert len(SoundIndex.open(here / "sounds").index) == wanted[1][1]
    print(f"{rounds} processes killed; the folder was whole {whole} times, and absent each other time")  # noqa: T201


if __name__ == "__main__":
    main()
