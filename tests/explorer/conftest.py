"""A page over a few recordings, and a client that has come in through its door."""

import numpy as np
import pytest
import soundfile
import torch
from starlette.testclient import TestClient

from hypertorus.explorer.app import application
from hypertorus.explorer.guard import Door
from hypertorus.explorer.sounds import Sounds
from hypertorus.listen.index import SoundIndex
from hypertorus.models import Model
from hypertorus.models.encoders import encoder
from hypertorus.sound.spectrogram import Spectrogram
from hypertorus.workbench import Answers

SOUND = Spectrogram(seconds=0.5, bands=32)
DOOR = Door("127.0.0.1", 8000, "abcdefgh12345678")
HOME = "http://127.0.0.1:8000"


def tones(*hertz, seconds=0.5, rate=16_000):
    """Each for so long, with a little noise."""
    time = np.arange(round(seconds * rate)) / rate
    noise = np.random.default_rng(0).normal(size=(len(hertz), len(time)))
    return np.concatenate([0.3 * np.sin(2 * np.pi * each * time) for each in hertz]) + 0.003 * noise.ravel()


@pytest.fixture(scope="session", name="tones")
def _tones():
    return tones


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """An index of recordings with names of the field, with a name that is markup, and with a copy."""
    here = tmp_path_factory.mktemp("explorer")
    for name, hertz in {
        "POND_20240510_043000.wav": (400, 430, 3000),
        "POND_20240511_043000.wav": (410, 3100),
        "copies/a.wav": (5000, 5000),
        "copies/<img src=x onerror=alert(1)>.wav": (5000, 6000),
    }.items():
        path = here / "recordings" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(path, tones(*hertz), 16_000)
    torch.manual_seed(0)
    Model(encoder("bands", SOUND.shape), SOUND.shape, 32, "torusN", sound=SOUND).save(here / "model")
    SoundIndex.build(here / "recordings", here / "model").save(here / "sounds")
    return here


@pytest.fixture
def collection(place):
    return Sounds(SoundIndex.open(place / "sounds"), place / "sounds")


@pytest.fixture
def app(collection, tmp_path):
    answers = Answers.open(tmp_path / "answers.sqlite", collection.items)
    return application(collection, answers, DOOR, who="Ada", largest=1 << 20)


@pytest.fixture
def stranger(app):
    """A client without the token."""
    with TestClient(app, base_url=HOME) as client:
        yield client


@pytest.fixture
def client(stranger):
    assert stranger.get("/", params={"token": DOOR.token}).status_code == 200
    stranger.headers["Origin"] = HOME
    return stranger


@pytest.fixture
def ids(collection):
    """The id of the first window of each recording, by the last part of its path."""
    windows = collection.sounds.windows
    return {windows[number][0].split("/")[-1]: number for number in reversed(range(len(windows)))}
