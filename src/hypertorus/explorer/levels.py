"""The picture of a sound as numbers: its spectrogram, of which the page chooses contrast and frequencies by itself."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

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


def levels(wave: Tensor, rate: int, columns: int = COLUMNS) -> Levels:
    """Return the levels of a wave [time], with at most so many columns.

    >>> tone = torch.sin(2 * torch.pi * 2000 * torch.arange(16_000) / 16_000)
    >>> picture = levels(tone, 16_000)
    >>> picture.steps.shape, picture.highest, int(picture.steps[:, 160].argmax()) / 256 * 8000
    ((256, 320), 8000.0, 2000.0)
    """
    fft = max(16, 2 ** round(math.log2(SPECTRUM * rate)))
    if len(wave) < fft:
        wave = torch.nn.functional.pad(wave, (0, fft - len(wave)))
    hop = max(1, math.ceil(len(wave) / columns))
    window = torch.hann_window(fft, dtype=torch.float64)
    # Spectra in the middle of each column; beyond both ends there is silence, which an ear would not hear either.
    around = torch.nn.functional.pad(wave.double(), (fft // 2, fft // 2 + hop))
    frames = around.unfold(0, fft, hop)[: math.ceil(len(wave) / hop)] * window
    power = torch.fft.rfft(frames).abs().square()[:, :-1].T / window.sum().square() * 4
    rows = min(ROWS, fft // 2)
    power = power.reshape(rows, -1, power.shape[1]).amax(dim=1)  # a narrow whistle stays visible in a broad row
    decibels = 10 * power.clamp(min=10 ** (FLOOR / 10)).log10()
    steps = (2 * (decibels - FLOOR)).round().clamp(0, 255).to(torch.uint8)
    return Levels(steps.numpy(), rate / 2)
