"""Writes the golden index of sounds of the present format version; run once when the version changes.

python tests/listen/golden/make_sounds.py
"""

import json
import tempfile
from pathlib import Path

import numpy as np
import soundfile
import torch

from hypertorus.listen.index import SoundIndex
from hypertorus.models import Model
from hypertorus.models.encoders import encoder
from hypertorus.sound.spectrogram import Spectrogram


def main():
    torch.manual_seed(0)
    sound = Spectrogram(seconds=0.25, bands=8, depth=60)
    none = encoder("none", sound.shape)
    model = Model(none, sound.shape, 8, "torusN", head="linear", mean=[0.5], std=[0.2], sound=sound)
    time = np.arange(4000) / 16_000
    tones = [0.3 * np.sin(2 * np.pi * hertz * time) for hertz in (300, 600, 1200, 2400, 4800)]
    golden = Path(__file__).parent / "sounds_v1"
    with tempfile.TemporaryDirectory() as place:
        here = Path(place)
        soundfile.write(here / "sweep.wav", np.concatenate(tones), 16_000)
        model.save(here / "model", training={"epochs": 0})
        SoundIndex.build(here, here / "model").save(golden)
    facts = golden / "sounds.json"
    gone = {"folder": "/recordings", "folder_from_here": "../recordings"}  # wherever it was made
    facts.write_text(json.dumps({**json.loads(facts.read_text()), **gone}, indent=2) + "\n")


if __name__ == "__main__":
    main()
