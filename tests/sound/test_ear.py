"""Any ear will do: what is asked of it is that it makes inputs of one shape of windows of one length."""

import json
from dataclasses import asdict, dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
import soundfile
import torch

import hypertorus
from hypertorus.datasets import Data
from hypertorus.datasets.mapped import MappedInputs
from hypertorus.datasets.part import Columns
from hypertorus.datasets.sound_cache import inputs_of
from hypertorus.losses.views import VectorViews
from hypertorus.models import Model
from hypertorus.models.encoders import encoder
from hypertorus.sound.birdnet import BirdNet
from hypertorus.sound.chip import ChipSpectrogram
from hypertorus.sound.clip import Clip
from hypertorus.sound.ear import _KINDS, Ear, ear
from hypertorus.sound.resonators import Resonators
from hypertorus.sound.spectrogram import KEYWORD, Spectrogram
from hypertorus.sound.windows import windows
from hypertorus.training.prepare import build_model, views_for
from hypertorus.training.settings import EARS, Settings


@dataclass(frozen=True)
class Loudness:
    """How loud the quarters of a second are."""

    installed: bool = True
    rate: ClassVar[int] = 8000
    seconds: ClassVar[float] = 1.0
    shape: ClassVar[tuple[int, ...]] = (4,)
    dtype: ClassVar[torch.dtype] = torch.float32

    def check(self):
        if not self.installed:
            raise ImportError("this needs a louder ear")

    def windows(self, wave):
        return windows(wave, self.rate, "zeros")

    def inputs(self, wave):
        return self.windows(wave).view(-1, 4, 2000).square().mean(dim=2).sqrt()

    def as_dict(self):
        return asdict(self)


EAR: Ear = Loudness()


def write_clips(folder, n):
    """Clips of one and of two seconds in turns."""
    waves = [np.random.default_rng(row).uniform(-1, 1, 8000 * (1 + row % 2)).astype(np.float32) for row in range(n)]
    for row, wave in enumerate(waves):
        soundfile.write(folder / f"{row}.wav", wave, 8000, subtype="FLOAT")
    return [Clip(str(folder / f"{row}.wav")) for row in range(n)], waves


@pytest.mark.parametrize("n", [6, 20])  # in one process, and in several
def test_vectors_are_kept_as_exactly_as_they_were_computed(tmp_path, n):
    clips, waves = write_clips(tmp_path, n)
    found = inputs_of(clips, EAR, tmp_path / "cache")
    quarters = np.concatenate(waves).reshape(-1, 4, 2000).astype(np.float64)
    owners = [row for row in range(n) for _ in range(1 + row % 2)]
    assert found.clips.tolist() == owners
    part = MappedInputs(found.file, torch.arange(len(owners)), Columns(torch.tensor(owners)))
    kept = part.__getitems__(range(len(part)))
    assert (part.shape, part.is_images, kept.dtype) == ((4,), False, torch.float32)
    np.testing.assert_allclose(kept, np.sqrt((quarters**2).mean(axis=2)), rtol=1e-5)  # float16 would be off by 2e-4


def test_vectors_are_computed_once_for_each_ear(tmp_path):
    clips, _ = write_clips(tmp_path, 2)
    calls = []
    for sound in (EAR, Loudness(), Spectrogram(rate=8000, seconds=1, highest=4000)):
        inputs_of(clips, sound, tmp_path / "cache", progress=lambda *done: calls.append(done))
    assert calls == [(1, 2), (2, 2)] * 2
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_an_ear_that_cannot_hear_is_told_of_before_any_clip_is_blamed(tmp_path):
    clips, _ = write_clips(tmp_path, 2)
    with pytest.raises(ImportError, match="louder ear"):
        inputs_of(clips, Loudness(installed=False), tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def part_of(tmp_path):
    clips, _ = write_clips(tmp_path, 4)
    found = inputs_of(clips, EAR, tmp_path / "cache")
    labels = torch.arange(len(found.clips)) % 2
    return MappedInputs(found.file, torch.arange(len(labels)), Columns(labels))


def test_sounds_that_are_vectors_are_learned_as_vectors_are(tmp_path):
    part = part_of(tmp_path)
    model = build_model(Data("loud", part, part, ("a", "b"), EAR), Settings(dim=4))
    assert (model.encoder.kind, model.sound) == ("mlp", EAR)
    views = views_for(model, Settings(noise=0.5))
    assert isinstance(views, VectorViews)
    torch.testing.assert_close(views.noise, 0.5 * part.__getitems__(range(len(part))).std(dim=0))


def test_a_model_hears_by_any_ear(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("hypertorus.datasets.sounds.ear", lambda _: EAR)
    model = Model(encoder("none", (4,)), (4,), 4, "torusN", sound=EAR)
    wave = torch.cat([torch.full((8000,), 0.5), torch.full((4000,), 0.25)])
    soundfile.write(tmp_path / "a.wav", wave.numpy(), 8000, subtype="FLOAT")
    expected = torch.tensor([[0.5] * 4, [0.25, 0.25, 0, 0]])
    torch.testing.assert_close(EAR.inputs(wave), expected)
    np.testing.assert_array_equal(model.embed(tmp_path / "a.wav"), model.embed(expected))


@pytest.mark.parametrize(
    "settings",
    [
        Spectrogram(),
        Spectrogram(seconds=1.5, depth=60),
        KEYWORD,
        BirdNet(),
        ChipSpectrogram(bands=20),
        Resonators(bands=9),
    ],
)
def test_an_ear_is_the_same_from_its_settings(settings):
    assert ear(settings.as_dict()) == settings


@pytest.mark.parametrize(
    "settings, sentence",
    [
        ({"kind": "cat"}, "kind 'cat'; choose one of spectrogram, keyword, birdnet, chip, resonators"),
        ({"kind": "birdnet", "seconds": 2.0}, "seconds is 2.0, which is no setting of sound of kind 'birdnet'"),
        ({"speed": 1}, "speed is 1, which is no setting of sound of kind 'spectrogram'"),
        ({"kind": "birdnet", "version": "1.0"}, "version is '1.0'"),
    ],
)
def test_settings_of_no_ear_are_told(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        ear(settings)


def test_an_ear_has_the_settings_of_its_kind_but_for_those_that_are_given():
    assert ear({"kind": "keyword"}) == KEYWORD
    assert ear({"kind": "keyword", "depth": 60.0}) == replace(KEYWORD, depth=60.0)
    assert tuple(_KINDS) == EARS


def test_models_of_before_there_were_kinds_of_ears_hear_as_before(tmp_path):
    sound = Spectrogram(seconds=0.5, bands=32)
    Model(encoder("none", sound.shape), sound.shape, 8, "torusN", sound=sound).save(tmp_path)
    written = json.loads((tmp_path / "config.json").read_text())["sound"]
    assert written == {  # what they have is what is still written, so an older program reads it, too
        "rate": 16_000,
        "seconds": 0.5,
        "fft": 1024,
        "hop": 320,
        "bands": 32,
        "lowest": 50.0,
        "highest": 8000.0,
        "padding": "repeat",
        "depth": None,
    }
    assert hypertorus.load(tmp_path).sound == sound
