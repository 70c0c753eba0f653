"""Variations of sounds: the same for the same seed, as long as asked for, in the class and recording of the sound."""

import numpy as np
import pytest
import soundfile

from hypertorus.datasets.sound_folder import read_sound_folder
from hypertorus.datasets.variations import LOUDEST, PACE, variation, write_variations

RATE, PITCHES = 8000, {"owl": 400, "jay": 900}


@pytest.fixture
def folder(tmp_path):
    for name, pitch in PITCHES.items():
        (tmp_path / "birds" / name).mkdir(parents=True)
        for number in range(2):
            tone = 0.4 * np.sin(2 * np.pi * pitch * np.arange(6000 + 3000 * number) / RATE)
            soundfile.write(tmp_path / "birds" / name / f"7_{number}.wav", tone, RATE)
    return tmp_path / "birds"


def varied(folder, out, seed=0):
    sounds = read_sound_folder(folder)
    write_variations(sounds.clips, sounds.names.tolist(), out, 3, seconds=1.0, rate=RATE, seed=seed)
    return {str(path.relative_to(out)): soundfile.read(path)[0] for path in sorted(out.glob("*/*"))}


def test_each_clip_comes_with_its_variations_in_its_class_and_recording(folder, tmp_path):
    heard = varied(folder, tmp_path / "varied")
    assert len(heard) == 2 * 2 * 4
    np.testing.assert_allclose(heard["owl/7_0-0.flac"], soundfile.read(folder / "owl" / "7_0.wav")[0], atol=1e-4)
    assert all(len(wave) == RATE for name, wave in heard.items() if not name.endswith("-0.flac"))
    sounds = read_sound_folder(tmp_path / "varied")
    assert sounds.classes == ("jay", "owl")
    assert len(set(sounds.groups.tolist())) == 1  # of the recording 7, in either class
    again, other = varied(folder, tmp_path / "again"), varied(folder, tmp_path / "other", seed=1)
    assert all(np.array_equal(heard[name], again[name]) for name in heard)
    assert not np.array_equal(heard["owl/7_0-1.flac"], other["owl/7_0-1.flac"])


def test_a_variation_is_the_sound_at_another_pace_over_what_is_behind_it():
    time = np.arange(4000, dtype=np.float32) / RATE
    tone, other = np.sin(2 * np.pi * 1000 * time), np.sin(2 * np.pi * 3000 * time)
    pitches, behind = [], []
    for seed in range(40):
        wave = variation([tone, other], RATE, np.random.default_rng(seed))
        spectrum = np.abs(np.fft.rfft(wave))
        pitches.append(int(spectrum[:1700].argmax()))
        behind.append(spectrum[1700:].max() / spectrum[:1700].max())
        assert np.abs(wave).max() == pytest.approx(LOUDEST)
    assert np.exp(-PACE) - 0.01 < min(pitches) / 1000 < 0.75
    assert 1.3 < max(pitches) / 1000 < np.exp(PACE) + 0.01
    assert min(behind) < 0.2
    assert max(behind) > 0.4


def test_silence_stays_silence():
    assert not variation([np.zeros(100, np.float32)], 200, np.random.default_rng(4)).any()
    assert all(
        np.isfinite(variation([np.zeros(100, np.float32)], 200, np.random.default_rng(n))).all() for n in range(9)
    )


def test_what_cannot_be_read_is_named_and_left_out(folder, tmp_path):
    (folder / "owl" / "7_1.wav").write_bytes(b"no sound")
    readable = ("jay/7_0", "jay/7_1", "owl/7_0")  # which lose nothing by one that would have been behind them
    for seed in range(3):
        with pytest.warns(UserWarning, match="^1 of 4 sounds were left out. .*7_1.wav is not a readable sound"):
            heard = varied(folder, tmp_path / f"varied-{seed}", seed)
        assert set(heard) == {f"{name}-{time}.flac" for name in readable for time in range(4)}
    for path in folder.glob("*/*"):
        path.write_bytes(b"no sound")
    with pytest.raises(ValueError, match="none of the 4 sounds could be read"):
        varied(folder, tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()
