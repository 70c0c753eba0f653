"""Kills a process that saves two indexes of sounds in turn, again and again; each that opens is one of them.

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


def facts(place):
    found = SoundIndex.open(place)
    assert len(found.windows) == len(found.index)
    return found.folder, len(found.index)


def read_until_gone(place, wanted, stop):
    """Open the index until a file `stop` is there; leave how often in it."""
    opened, parent = 0, os.getppid()
    while not stop.exists() and os.getppid() == parent:
        assert facts(place) in wanted
        opened += 1
    stop.write_text(str(opened))
    os._exit(0)


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
    indexes[0].save(here / "sounds")
    stop, reader = here / "stop", os.fork()
    if reader == 0:
        read_until_gone(here / "sounds", wanted, stop)
    for _ in range(rounds):
        child = os.fork()
        if child == 0:
            while True:
                for index in indexes[::-1]:
                    index.save(here / "sounds")
        time.sleep(rng.uniform(0, 0.05))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert facts(here / "sounds") in wanted
    stop.touch()
    _, status = os.waitpid(reader, 0)
    assert status == 0, "the process that read meanwhile was refused, or got a mixture"
    indexes[1].save(here / "sounds")
    assert facts(here / "sounds") == wanted[1]
    print(f"{rounds} saves killed, {stop.read_text()} opened meanwhile: each was one index or the other, whole")  # noqa: T201


if __name__ == "__main__":
    main()
