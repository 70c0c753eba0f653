"""The ear of a chip hears what floats hear: librosa's, by numbers of golden/make_chip.py, and those of numpy."""

import runpy
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch

from hypertorus.sound.chip import ChipSpectrogram
from hypertorus.sound.chip_ear import int16
from hypertorus.sound.ear import ear
from hypertorus.sound.levels import LOG2, logarithms, step_for
from hypertorus.sound.resonators import Resonators
from hypertorus.sound.spectrogram import KEYWORD, Spectrogram, mel_filters

GOLDEN = Path(__file__).parent / "golden"
SOUNDS = runpy.run_path(str(GOLDEN / "make_chip.py"))["sounds"]()
DIGITS = Path(__file__).parents[2] / "../shared/data/spoken-digits"
EAR = ChipSpectrogram()
WORST = 0.2  # decibels


def decibels_of(levels, ear=EAR):
    return (levels - 255) * ear.depth / 255


def floats(samples, ear=EAR):
    """Decibels [frames, bands] by numpy's own transform, in float64."""
    settings = Spectrogram(rate=ear.rate, fft=ear.fft, bands=ear.bands, lowest=ear.lowest, highest=ear.highest)
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(ear.fft) / ear.fft)
    frames = np.lib.stride_tricks.sliding_window_view(samples.astype(float), ear.fft)[:: ear.hop]
    power = np.abs(np.fft.rfft(frames * hann)) ** 2 @ mel_filters(settings).numpy().astype(float).T
    return 10 * np.log10(power.clip(min=1e-9))


def errors(samples, ear=EAR):
    """How far off, in decibels, everything within the depth of the loudest place is."""
    expected = floats(samples, ear)
    near = expected > max(0, expected.max()) - ear.depth
    return (decibels_of(ear.levels(samples[None])[0], ear) - expected)[near]


@pytest.mark.parametrize("name", SOUNDS)
def test_decibels_are_librosas(name):
    with np.load(GOLDEN / "chip.npz") as golden:
        expected = golden[name].astype(float)
    assert expected.shape == (50, 32)
    near = expected > expected.max() - 45
    assert near.mean() > 0.5
    off = (decibels_of(EAR.levels(SOUNDS[name][None])[0]) - expected)[near]
    assert np.abs(off).max() < WORST
    assert abs(off.mean()) < 0.02
    inputs = (1 + (expected - expected.max()) / 45).clip(0, 1)
    assert np.abs(EAR.bytes(SOUNDS[name][None])[0].T - 255 * inputs).max() < 2


@pytest.mark.parametrize(
    "ear",
    [
        ChipSpectrogram(fft=128, hop=100, bands=20, depth=30),
        ChipSpectrogram(fft=64, hop=64, bands=8, lowest=200),
        ChipSpectrogram(rate=16_000, bands=40, lowest=500, highest=8000, depth=60),
    ],
)
def test_other_settings_are_as_near_to_floats(ear):
    for name, sound in SOUNDS.items():
        assert np.abs(errors(sound, ear)).max() < WORST + 0.02 * (ear.depth - 30), name


def test_extremes_are_as_near_to_floats():
    time, rng = np.arange(8096), np.random.default_rng(1)
    square = np.where(time // 23 % 2, 32767, -32768).astype(np.int16)
    assert len(errors(square)) > 1000
    assert np.abs(errors(square)).max() < WORST
    for place in range(8, 256, 31):  # a single sample anywhere in a frame
        for size in (1, -32768):
            one = np.zeros(256, np.int16)
            one[place] = size
            assert np.abs(errors(one)).max(initial=0) < WORST, (place, size)
    loud_and_faint = np.where(time < 4000, 30_000, 30) * np.sin(time * 0.9) + rng.normal(size=8096)
    assert np.abs(errors(loud_and_faint.astype(np.int16))).max() < WORST


@pytest.mark.parametrize("value", [0, 1, -1, 32767, -32768])
def test_what_is_constant_is_silent(value):
    assert not EAR.bytes(np.full((1, 8096), value, np.int16)).any()


def test_what_alternates_is_above_all_bands():
    assert not EAR.bytes(np.tile(np.array([32767, -32768], np.int16), 4048)[None]).any()


@pytest.mark.skipif(not DIGITS.exists(), reason="the spoken digits are not here")
def test_spoken_digits_are_as_near_to_floats():
    off = []
    for path in sorted(DIGITS.glob("*/*.flac"))[::60]:
        samples = soundfile.read(path, dtype="int16")[0]
        off.append(errors(np.pad(samples, (0, max(0, 8096 - len(samples))))[:8096]))
    assert np.abs(np.concatenate(off)).max() < WORST
    assert np.abs(np.concatenate(off)).mean() < 0.05


def test_inputs_are_bytes_of_windows():
    wave = torch.tensor(SOUNDS["vowel"].astype(np.float32) / 2**15)
    inputs = EAR.inputs(torch.cat([wave, 0.5 * wave[:5000]]))
    assert (inputs.shape, inputs.dtype) == ((2, *EAR.shape), torch.float32)
    np.testing.assert_array_equal((255 * inputs[0, 0]).numpy(), EAR.bytes(SOUNDS["vowel"][None])[0])
    assert inputs.amax(dim=(1, 2, 3)).tolist() == [1, 1]  # each window by its own loudest place
    assert inputs[1, 0, :, 32:].max() == 0  # silence after the end
    assert (EAR.samples, EAR.seconds) == (8096, 1.012)
    np.testing.assert_array_equal(int16(wave), SOUNDS["vowel"])


def test_logarithms_are_nearly_exact():
    numbers = np.unique(np.geomspace(1, 2**32 - 1, 20_000).astype(np.int64))
    assert np.abs(logarithms(numbers) - 2048 * np.log2(numbers)).max() < 2
    assert logarithms(np.array([0])) == 0
    assert LOG2.nbytes == 66
    for depth in (10.0, 45.0, 100.0):
        step = step_for(depth)
        assert step.factor / 2**step.shift == pytest.approx(255 / depth * 3.0103 / 2048, rel=1e-4)
        assert 2**17 * step.factor < 2**31  # no logarithm overflows


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"fft": 512}, "fft is 512; choose one of 64, 128, 256"),
        ({"hop": 257}, "hop is 257"),
        ({"bands": 0}, "bands is 0"),
        ({"frames": 256}, "frames is 256"),
        ({"rate": 0}, "rate is 0"),
        ({"lowest": 20}, "31.25 to 4000 Hz"),
        ({"highest": 4001}, "31.25 to 4000 Hz"),
        ({"depth": 5}, "depth is 5"),
    ],
)
def test_settings_that_cannot_be_are_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        ChipSpectrogram(**options)


@pytest.mark.parametrize(
    "options, sentence", [({"hop": 512}, "hop is 512"), ({"bands": 300}, "bands"), ({"lowest": 30}, "Hz")]
)
def test_settings_of_resonators_that_cannot_be_are_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        Resonators(**options)


def test_bands_without_a_bin_are_refused():
    with pytest.raises(ValueError, match="make the bands wider"):
        ChipSpectrogram(lowest=1001, highest=1030).triangles()


def test_a_clip_lies_where_the_float_ear_has_it_and_both_hear_the_same():
    wave = torch.from_numpy(np.random.default_rng(0).normal(size=3001) / 10).float()
    clips = ear({"kind": "chip"})
    assert torch.equal(clips.windows(wave), KEYWORD.windows(wave))
    assert clips.windows(wave)[0, 2546] == 0 != clips.windows(wave)[0, 2547]
    assert EAR.windows(wave)[0, 0] == wave[0]  # as a stream hears it
    assert (clips.inputs(wave) - KEYWORD.inputs(wave)).abs().max() < 0.01
    silence = torch.zeros(8096)
    assert torch.equal(clips.inputs(silence), KEYWORD.inputs(silence))
    with pytest.raises(ValueError, match="padding is 'none'; choose one of repeat, zeros, around"):
        Resonators(padding="none")
