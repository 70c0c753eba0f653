"""A model of sounds knows how to hear them, and still knows it when it comes back from its folder."""

import json

import numpy as np
import pytest
import soundfile
import torch

import hypertorus
from hypertorus.models import Model
from hypertorus.models.encoders import encoder
from hypertorus.sound.spectrogram import Spectrogram

SOUND = Spectrogram(seconds=0.5, bands=32)


def model():
    torch.manual_seed(0)
    return Model(encoder("small-audio:4", SOUND.shape), SOUND.shape, 8, "torusN", mean=[0.5], std=[0.2], sound=SOUND)


def wave(seconds=1.3, rate=16_000):
    return np.random.default_rng(0).normal(size=round(seconds * rate)).astype(np.float32) / 10


def test_a_saved_model_embeds_a_sound_file_as_before(tmp_path):
    soundfile.write(tmp_path / "a.wav", wave(), 16_000, subtype="FLOAT")
    model().save(tmp_path / "model")
    loaded = hypertorus.load(tmp_path / "model")
    assert loaded.sound == SOUND
    inputs = loaded.hear(tmp_path / "a.wav")
    torch.testing.assert_close(inputs, SOUND.inputs(torch.tensor(wave())))
    assert loaded.embed(inputs).shape == (3, 8)
    np.testing.assert_array_equal(loaded.embed(inputs), model().embed(inputs))


def test_samples_of_another_rate_are_heard_as_the_file_of_them(tmp_path):
    soundfile.write(tmp_path / "a.wav", wave(rate=44_100), 44_100, subtype="FLOAT")
    torch.testing.assert_close(model().hear(wave(rate=44_100), 44_100), model().hear(str(tmp_path / "a.wav")))


@pytest.mark.parametrize(
    "sound, rate, sentence",
    [
        (np.zeros((2, 100)), 16_000, r"shape \(2, 100\)"),
        (np.zeros(100), None, "rate None"),
        (np.zeros(0), 16_000, "no samples"),
        ("nowhere.wav", None, "nowhere.wav is not a readable sound"),
    ],
)
def test_what_is_no_sound_is_refused(sound, rate, sentence):
    with pytest.raises(ValueError, match=sentence):
        model().hear(sound, rate)


def test_other_models_do_not_hear():
    deaf = Model(encoder("none", (20,)), (20,), 20, "torusN")
    with pytest.raises(ValueError, match="not trained on sounds"):
        deaf.hear(wave(), 16_000)


def test_settings_that_do_not_fit_the_inputs_are_refused():
    with pytest.raises(ValueError, match=r"\(1, 32, 30\), but sounds become inputs of shape \(1, 32, 26\)"):
        Model(encoder("small-audio:4", (1, 32, 30)), (1, 32, 30), 8, "torusN", sound=SOUND)


@pytest.mark.parametrize("sound", [{"rate": "fast"}, {"speed": 1}, [1], "loud"])
def test_changed_settings_are_noticed(tmp_path, sound):
    model().save(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "sound": sound}))
    with pytest.raises(ValueError, match="no valid 'sound'"):
        hypertorus.load(tmp_path)
