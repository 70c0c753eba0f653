"""Spectrograms are librosa's, by numbers that golden/make_librosa.py made with it, and windows are cut as promised."""

import runpy
from pathlib import Path

import numpy as np
import pytest
import torch

from hypertorus.sound.spectrogram import KEYWORD, Spectrogram, mel_filters

GOLDEN = Path(__file__).parent / "golden"
MADE = runpy.run_path(str(GOLDEN / "make_librosa.py"))
song = MADE["song"]


@pytest.fixture
def librosas():
    """The decibels that librosa finds with these settings, of some frames; their least and largest, and frames."""
    with np.load(GOLDEN / "librosa.npz") as golden:
        yield lambda name: (golden[name].astype(np.float64), *golden[f"{name}_range"])


@pytest.mark.parametrize("name", ["published", "five_seconds", "finer"])
def test_decibels_and_inputs_are_librosas(name, librosas):
    settings, wave = MADE["SETTINGS"][name], MADE["waves"]()[name]
    expected, least, largest, frames = librosas(name)
    decibels = settings.decibels(torch.tensor(wave, dtype=torch.float32).unsqueeze(0))[0].numpy()
    assert decibels.shape == (len(expected), frames) == settings.shape[1:]
    some = decibels[:, :: MADE["EVERY"]]
    np.testing.assert_allclose(10 ** (some / 10), 10 ** (expected / 10), rtol=1e-4, atol=1e-4)
    stretched = (expected - least) / (largest - least)
    inputs = settings(torch.tensor(wave, dtype=torch.float32).unsqueeze(0))
    np.testing.assert_allclose(inputs[0, 0, :, :: MADE["EVERY"]].numpy(), stretched, atol=1e-4)


def test_holes_of_near_silence_beside_a_loud_tone_are_librosas_too(librosas):
    wave, settings = MADE["loud_tone_with_holes"](), MADE["SETTINGS"]["near_silence"]
    expected, least, largest, _ = librosas("near_silence")
    assert largest - least > 100
    decibels = settings.decibels(torch.tensor(wave).unsqueeze(0))[0, :, :: MADE["EVERY"]]
    np.testing.assert_allclose(decibels, expected, atol=1e-3)


def test_the_published_settings_give_the_published_shapes():
    assert Spectrogram().shape == (1, 128, 301)
    assert Spectrogram(seconds=5).shape == (1, 128, 251)


def test_filters_are_triangles_that_meet_at_their_feet():
    filters = mel_filters(Spectrogram(fft=16_384, bands=20)).numpy()
    places = np.linspace(0, 8000, 8193)
    peaks = places[filters.argmax(axis=1)]
    np.testing.assert_allclose(filters.max(axis=1), 1, atol=0.05)
    inside = (places > peaks[0]) & (places < peaks[-1])
    np.testing.assert_allclose(filters.sum(axis=0)[inside], 1, atol=1e-5)
    mels = 2595 * np.log10(1 + peaks / 700)
    np.testing.assert_allclose(np.diff(mels), np.diff(mels).mean(), rtol=0.05)


def test_every_window_is_stretched_by_itself_and_loudness_does_not_count():
    settings = Spectrogram(seconds=1)
    waves = torch.tensor(np.stack([song(1), song(1, seed=3)]), dtype=torch.float32)
    inputs = settings(waves)
    torch.testing.assert_close(inputs.amin(dim=(1, 2, 3)), torch.zeros(2))
    torch.testing.assert_close(inputs.amax(dim=(1, 2, 3)), torch.ones(2))
    torch.testing.assert_close(settings(waves * torch.tensor([[1.0], [0.1]])), inputs, atol=1e-4, rtol=0)
    torch.testing.assert_close(settings(waves[1:]), inputs[1:])


def test_silence_is_dark():
    assert Spectrogram(seconds=1)(torch.zeros(1, 16_000)).abs().max() == 0


def test_a_depth_makes_silence_of_what_is_so_far_below_the_loudest():
    wave = torch.tensor(song(1), dtype=torch.float32).unsqueeze(0)
    decibels = Spectrogram(seconds=1).decibels(wave)[0]
    expected = ((decibels - decibels.max() + 30) / 30).clamp(min=0)
    torch.testing.assert_close(Spectrogram(seconds=1, depth=30)(wave)[0, 0], expected)
    assert (expected == 0).float().mean() > 0.1
    torch.testing.assert_close(Spectrogram(seconds=1, depth=300)(wave), Spectrogram(seconds=1)(wave))


def test_many_windows_are_as_one_after_the_other():
    settings = Spectrogram(seconds=0.1, bands=8)
    waves = torch.randn(150, 1600)
    torch.testing.assert_close(settings(waves), torch.cat([settings(wave.unsqueeze(0)) for wave in waves]))


@pytest.mark.parametrize("length, windows", [(1, 1), (1023, 1), (1024, 1), (1535, 1), (1536, 2), (2048, 2), (5000, 5)])
def test_a_wave_is_cut_into_windows_and_what_is_left_padded_or_left_out(length, windows):
    settings = Spectrogram(rate=1024, seconds=1, fft=256, highest=512)
    wave = torch.arange(1.0, length + 1)
    cut = settings.windows(wave)
    assert cut.shape == (windows, 1024)
    whole = length // 1024 * 1024
    assert torch.equal(cut.flatten()[:whole], wave[:whole])
    left = wave[whole:]
    if windows * 1024 > length:
        assert torch.equal(cut[-1], torch.tensor([left[place % len(left)] for place in range(1024)]))


def test_frames_of_the_ear_for_keywords_are_literally_those_of_a_stream():
    """Frame t is samples 160 t to 160 t + 255; what a microcontroller computes is compared with these numbers."""
    wave = np.random.default_rng(0).normal(size=8096) * np.linspace(0, 0.3, 8096)
    assert (KEYWORD.rate, KEYWORD.samples, KEYWORD.shape) == (8000, 8096, (1, 32, 50))
    samples = np.arange(256)
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * samples / 256)
    corners = 700 * (10 ** (np.linspace(*(2595 * np.log10(1 + np.array([80, 3900]) / 700)), 34) / 2595) - 1)
    power = np.empty((32, 50))
    for frame in range(50):
        cut = wave[160 * frame : 160 * frame + 256] * hann
        spectrum = np.array([np.abs((cut * np.exp(-2j * np.pi * k * samples / 256)).sum()) ** 2 for k in range(129)])
        for band in range(32):
            low, middle, high = corners[band : band + 3]
            hertz = np.arange(129) * 31.25
            triangle = np.clip(np.minimum((hertz - low) / (middle - low), (high - hertz) / (high - middle)), 0, None)
            power[band, frame] = (triangle * spectrum).sum()
    decibels = 10 * np.log10(np.maximum(power, 1e-10))
    expected = np.clip(1 + (decibels - decibels.max()) / 45, 0, 1)
    seen = KEYWORD(torch.tensor(wave, dtype=torch.float32).unsqueeze(0))[0, 0]
    np.testing.assert_allclose(seen, expected, atol=1e-5)
    assert (expected == 0).any()
    assert expected.max() == 1


def test_a_word_lies_in_the_middle_of_its_window():
    (window,) = KEYWORD.windows(torch.ones(3001))
    assert window.nonzero()[[0, -1], 0].tolist() == [2547, 5547]
    (silence,) = KEYWORD(torch.zeros(1, 8096))
    assert (silence == 0).all()  # as on a chip


def test_padding_with_zeros_when_asked():
    settings = Spectrogram(rate=1024, seconds=1, fft=256, highest=512, padding="zeros")
    assert settings.windows(torch.ones(100)).sum() == 100


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"seconds": 0.01}, "at least that"),
        ({"seconds": float("nan")}, "seconds is nan"),
        ({"highest": 9000}, "8000 Hz"),
        ({"lowest": 8000}, "8000"),
        ({"bands": 0}, "bands is 0"),
        ({"hop": 2.5}, "hop is 2.5"),
        ({"padding": "noise"}, "repeat, zeros, around"),
        ({"stretched": False}, "not stretched need it"),
        ({"depth": 0}, "depth is 0"),
    ],
)
def test_settings_that_cannot_be_are_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        Spectrogram(**options)


def test_settings_come_back_from_their_dict():
    settings = Spectrogram(seconds=2.5, bands=40, padding="zeros")
    assert Spectrogram(**settings.as_dict()) == settings
