"""Recordings, a model that hears them, and an index of both; `model`, `tones` and `write` make others."""

import numpy as np
import pytest
import soundfile
import torch

from hypertorus.listen.index import SoundIndex
from hypertorus.models import Model
from hypertorus.models.encoders import encoder
from hypertorus.sound.spectrogram import Spectrogram

SOUND = Spectrogram(seconds=0.5, bands=32)
RATE = SOUND.rate


def model(sound=SOUND, space="torusN", seed=0):
    torch.manual_seed(seed)
    return Model(encoder("small-audio:4", sound.shape), sound.shape, 16, space, mean=[0.5], std=[0.2], sound=sound)


def tones(*hertz, seconds=0.5, rate=RATE):
    """Each for so long, with a little noise."""
    time = np.arange(round(seconds * rate)) / rate
    noise = np.random.default_rng(0).normal(size=(len(hertz), len(time)))
    return np.concatenate([0.3 * np.sin(2 * np.pi * each * time) for each in hertz]) + 0.003 * noise.ravel()


def write(path, wave, rate=RATE, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, wave, rate, **options)
    return path


@pytest.fixture(scope="session", name="model")
def _model():
    return model


@pytest.fixture(scope="session", name="tones")
def _tones():
    return tones


@pytest.fixture(scope="session", name="write")
def _write():
    return write


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A model, and recordings at several depths; the one named long has 70 seconds with a pitch for each window."""
    here = tmp_path_factory.mktemp("place")
    write(here / "recordings" / "owl.wav", tones(400, 430, 460))
    write(here / "recordings" / "near" / "wren.flac", tones(5000, 5200))
    write(here / "recordings" / "far" / "away" / "Goldcrest, [male].WAV", tones(7000, seconds=0.3))
    write(here / "recordings" / "far" / "long.wav", tones(*np.geomspace(200, 7800, 140)))
    (here / "recordings" / "far" / "notes.txt").write_text("it rained")
    write(here / "recordings" / ".hidden.wav", tones(900))
    model().save(here / "model", training={"epochs": 3})
    return here


@pytest.fixture(scope="module")
def sounds(place):
    return SoundIndex.build(place / "recordings", place / "model")
