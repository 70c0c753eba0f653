"""The picture of a sound as numbers: its spectrogram, of which the page chooses contrast and frequencies by itself."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

SPECTRUM = 0.025
"""About how many seconds of sound a spectrum is taken from."""
ROWS, COLUMNS = 256, 320
"""The largest number of frequencies, and of spectra in the picture of one window."""
FLOOR = -110.0
"""The quietest level in decibels; a step of a level is half a decibel, so that 255 is 17.5 dB."""


class Levels(NamedTuple):
    """Loudness of each frequency at each time."""

    steps: npt.NDArray[np.uint8]
    """Half decibels above `FLOOR`, [frequencies, times]; the lowest frequency comes first, evenly spaced from 0."""
    highest: float
    """Frequency of the upper edge in Hz."""


def levels(wave: npt.NDArray[np.float32], rate: int, columns: int = COLUMNS) -> Levels:
    """Return the levels of a wave [time], with at most so many columns.

    It is numpy's transform and not torch's, whose threads wait for each other when many pictures are asked for at once.

    >>> tone = np.sin(2 * np.pi * 2000 * np.arange(16_000) / 16_000).astype(np.float32)
    >>> picture = levels(tone, 16_000)
    >>> picture.steps.shape, picture.highest, int(picture.steps[:, 160].argmax()) / 256 * 8000
    ((256, 320), 8000.0, 2000.0)
    """
    fft = max(16, 2 ** round(math.log2(SPECTRUM * rate)))
    if len(wave) < fft:
        wave = np.pad(wave, (0, fft - len(wave)))
    hop = max(1, math.ceil(len(wave) / columns))
    window = np.hanning(fft).astype(np.float32)
    # Spectra in the middle of each column; beyond both ends there is silence.
    around = np.pad(wave, (fft // 2, fft // 2 + hop))
    frames = sliding_window_view(around, fft)[::hop][: math.ceil(len(wave) / hop)] * window
    power = np.abs(np.fft.rfft(frames)[:, :-1].T) ** 2 * 4 / window.sum() ** 2
    rows = min(ROWS, fft // 2)
    power = power.reshape(rows, -1, power.shape[1]).max(axis=1)  # a narrow whistle stays visible in a broad row
    decibels = 10 * np.log10(np.maximum(power, 10 ** (FLOOR / 10)))
    return Levels(np.clip(np.round(2 * (decibels - FLOOR)), 0, 255).astype(np.uint8), rate / 2)
