"""Resonators hear tones where they are, cannot overflow, and come to rest."""

import numpy as np
import torch

from hypertorus.sound.resonators import LARGEST, QUIETEST, Resonators
from hypertorus.sound.spectrogram import mel_corners

EAR = Resonators(frames=5)
CENTRES = mel_corners(EAR.lowest, EAR.highest, EAR.bands)[1:-1]


def test_a_tone_is_loudest_in_its_band_and_as_loud_as_it_is():
    time = np.arange(EAR.samples)
    tones = np.sin(2 * np.pi * CENTRES[:, None] * time / EAR.rate)
    for amplitude in (100, 20_000):
        levels = EAR.levels(np.rint(amplitude * tones).astype(np.int16))[:, -1]  # when they have settled
        assert levels.argmax(axis=1).tolist() == list(range(EAR.bands))
        expected = 255 + 20 * np.log10(amplitude / QUIETEST) * 255 / EAR.depth
        np.testing.assert_allclose(levels.diagonal(), expected, atol=4)


def test_nothing_overflows_by_the_worst_of_sounds():
    """Samples with the signs of a resonator's swings in reverse push it as far as any samples can."""
    gains, keeps, turns = (table.astype(float) for table in EAR.bank()[:3])
    for band in range(EAR.bands):
        for state in (0, 1):
            swings = []
            along, across, push = 0.0, 0.0, 1.0
            for _ in range(1500):
                along = keeps[band] / 256 * along - turns[band] / 128 * across + push
                across, push = across + turns[band] / 128 * along, 0.0
                swings.append((along, across)[state])
            reached = 2**15 * gains[band] * np.abs(swings).sum()
            assert reached < LARGEST
            assert reached > LARGEST / 8  # and the bits are used


def test_a_resonator_comes_to_rest():
    noise = np.random.default_rng(0).normal(size=(200, EAR.samples)) * 9000
    noise[:, 2 * EAR.hop :] = 0
    levels = EAR.levels(noise.clip(-32768, 32767).astype(np.int16))
    assert levels[:, :2].min() > 255
    assert not levels[:, 3:].any()
    assert not EAR.bytes(np.zeros((1, EAR.samples), np.int16)).any()


def test_inputs_are_bytes_of_windows():
    time = torch.arange(3 * EAR.samples // 2) / EAR.rate
    wave = 0.3 * torch.sin(2 * torch.pi * (200 + 2000 * time) * time)
    inputs = EAR.inputs(wave)
    assert inputs.shape == (2, 1, 12, 5)
    assert inputs.amax(dim=(1, 2, 3)).tolist() == [1, 1]
    np.testing.assert_allclose((255 * inputs).round(), 255 * inputs, atol=1e-4, rtol=0)
    np.testing.assert_array_equal(EAR.inputs(wave[EAR.samples :]), inputs[1:])  # each begins in silence
