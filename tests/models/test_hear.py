"""A model of sounds knows how to hear them, and still knows it when it comes back from its folder."""

import json

import numpy as np
import pytest
import soundfile
import soxr
import torch

import hypertorus
from hypertorus.models import Model
from hypertorus.models.encoders import encoder
from hypertorus.sound.spectrogram import Spectrogram

SOUND = Spectrogram(seconds=0.5, bands=32)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


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
    inputs = SOUND.inputs(torch.tensor(wave()))
    assert loaded.embed(tmp_path / "a.wav").shape == (3, 8)
    np.testing.assert_array_equal(loaded.embed(str(tmp_path / "a.wav")), model().embed(inputs))


def test_a_file_of_another_rate_is_resampled(tmp_path):
    soundfile.write(tmp_path / "a.wav", wave(rate=44_100), 44_100, subtype="FLOAT")
    resampled = torch.from_numpy(soxr.resample(wave(rate=44_100), 44_100, 16_000))
    np.testing.assert_array_equal(model().embed(tmp_path / "a.wav"), model().embed(SOUND.inputs(resampled)))


def test_a_list_of_files_and_a_folder_of_any_depth_are_embedded_with_their_names(tmp_path):
    (tmp_path / "sounds" / "deep").mkdir(parents=True)
    for name, seconds in {"b.wav": 0.5, "deep/a.wav": 1.0}.items():
        soundfile.write(tmp_path / "sounds" / name, wave(seconds), 16_000, subtype="FLOAT")
    record = model().embeddings(tmp_path / "sounds", bits=8)
    assert record.names.tolist() == ["b.wav", "deep/a.wav", "deep/a.wav"]
    assert record.starts.tolist() == [0.0, 0.0, 0.5]
    assert record.labels is None
    files = [tmp_path / "sounds" / "deep" / "a.wav", tmp_path / "sounds" / "b.wav"]
    np.testing.assert_array_equal(model().encode(files), record.rows[[1, 2, 0]])


def test_what_is_no_sound_is_refused(tmp_path):
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    with pytest.raises(ValueError, match=r"a\.wav is not a readable sound"):
        model().embed(tmp_path / "a.wav")
    with pytest.raises(FileNotFoundError, match=r"nowhere\.wav does not exist"):
        model().embed(tmp_path / "nowhere.wav")


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
