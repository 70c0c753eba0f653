"""Waves from sound files: of one channel, at one rate, whole or from a second to another."""

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
    """The mean of all channels between two seconds, resampled: float32 [time]."""
    try:
        with soundfile.SoundFile(path) as file:
            first = min(round(start * file.samplerate), file.frames)
            file.seek(first)
            count = -1 if end is None else max(0, round(end * file.samplerate) - first)
            samples, own = file.read(count, dtype="float32", always_2d=True), file.samplerate
    except (soundfile.SoundFileError, OSError) as error:
        raise ValueError(f"{path} is not a readable sound ({error}); mend it or remove it.") from error
    return resampled(checked(torch.from_numpy(samples.mean(axis=1)), f"{path}"), own, rate)


def seconds_of(path: str | Path) -> float:
    """How long a file is, by its header."""
    try:
        return float(soundfile.info(str(path)).duration)
    except (soundfile.SoundFileError, OSError) as error:
        raise ValueError(f"{path} is not a readable sound ({error}); mend it or remove it.") from error


def resampled(wave: Tensor, own: int, rate: int) -> Tensor:
    """A wave [time] of one rate at another, by soxr, as librosa has it.

    >>> resampled(torch.zeros(441), 44_100, 16_000).shape
    torch.Size([160])
    """
    if own == rate:
        return wave
    at_rate: Any = soxr.resample(wave.numpy(), own, rate)
    return torch.from_numpy(np.ascontiguousarray(at_rate))


def checked(wave: Tensor, place: str) -> Tensor:
    """A wave that has samples, and numbers in all of them."""
    if len(wave) == 0:
        raise ValueError(f"{place} has no samples; mend it or remove it.")
    if not wave.isfinite().all():
        raise ValueError(f"{place} has a NaN or an infinity; mend it or remove it.")
    return wave
