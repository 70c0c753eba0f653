"""Vectors of sounds by an ear: a row for each window, in the order of the files, whatever folders they lie in."""

import numpy as np
import pytest
import soundfile

from hypertorus.models.sound_vectors import sound_vectors
from hypertorus.sound.ear import ear
from hypertorus.sound.wave import read_wave

EAR = {"kind": "spectrogram", "seconds": 0.5, "bands": 16, "rate": 8000, "highest": 4000.0}


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("owl/1_0.wav", "owl/2_0.wav", "jay/3_0.wav", "jay/4_0.wav"):
        (tmp_path / "birds" / name).parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(tmp_path / "birds" / name, rng.normal(size=8000) / 10, 8000)
    return tmp_path / "birds"


def test_classes_are_labels(folder):
    record = sound_vectors(folder, EAR)
    files = ("jay/3_0.wav", "jay/4_0.wav", "owl/1_0.wav", "owl/2_0.wav")
    assert record.names.tolist() == [name for name in files for _ in "ab"]
    assert record.starts.tolist() == 4 * [0, 0.5]
    assert [record.classes[label] for label in record.labels] == 4 * ["jay"] + 4 * ["owl"]
    wave = read_wave(folder / "owl" / "1_0.wav", 8000)
    np.testing.assert_array_equal(record.rows[4:6], ear(EAR).inputs(wave).flatten(1).numpy())


def test_recordings_need_no_classes(folder):
    alone = sound_vectors(folder / "owl", EAR)
    assert (alone.names[0], alone.labels, alone.classes) == ("1_0.wav", None, ())
    np.testing.assert_array_equal(alone.rows, sound_vectors(folder, EAR).rows[4:])
