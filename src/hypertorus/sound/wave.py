"""Reads waves from sound files: mono, at a given rate, whole or between two times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from hypertorus.files.extras import require

require("soundfile", extra="audio")
require("soxr", extra="audio")

import soundfile  # noqa: E402
import soxr  # noqa: E402


def read_wave(path: str | Path, rate: int, start: float = 0.0, end: float | None = None) -> Tensor:
    """Return the mean of all channels between two times in seconds, resampled: float32 [time]."""
    try:
        with soundfile.SoundFile(path) as file:
            first = min(round(start * file.samplerate), file.frames)
            file.seek(first)
            count = -1 if end is None else max(0, round(end * file.samplerate) - first)
            samples, own = file.read(count, dtype="float32", always_2d=True), file.samplerate
    except (soundfile.SoundFileError, OSError) as error:
        raise ValueError(f"{path} is not a readable sound ({error}); fix it or remove it.") from error
    return resampled(checked(torch.from_numpy(samples.mean(axis=1)), f"{path}"), own, rate)


def seconds_of(path: str | Path) -> float:
    """Return the length of a file in seconds, read from its header."""
    try:
        return float(soundfile.info(str(path)).duration)
    except (soundfile.SoundFileError, OSError) as error:
        raise ValueError(f"{path} is not a readable sound ({error}); fix it or remove it.") from error


def resampled(wave: Tensor, own: int, rate: int) -> Tensor:
    """Return a wave [time] resampled from one rate to another by soxr, as in librosa.

    >>> resampled(torch.zeros(441), 44_100, 16_000).shape
    torch.Size([160])
    """
    if own == rate:
        return wave
    at_rate: Any = soxr.resample(wave.numpy(), own, rate)
    return torch.from_numpy(np.ascontiguousarray(at_rate))


def checked(wave: Tensor, place: str) -> Tensor:
    """Return the wave, or raise an error if it is empty or has a NaN or an infinity."""
    if len(wave) == 0:
        raise ValueError(f"{place} has no samples; fix it or remove it.")
    if not wave.isfinite().all():
        raise ValueError(f"{place} has a NaN or an infinity; fix it or remove it.")
    return wave
