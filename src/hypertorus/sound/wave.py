"""Reads waves from sound files: mono, at a given rate, whole or between two times."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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

SLOWEST, FASTEST = 100, 10_000_000
"""Sampling rates in Hz between which a recording is plausible, from elephants to bats with room on both sides."""
SAMPLES_PER_BYTE = 6000
"""Samples that a byte of a file can hold at most: of silence, FLAC keeps 65,535 in 13 bytes."""
BLOCK = 1 << 18
"""Number of samples of each channel that are read at a time."""


def read_wave(path: str | Path, rate: int, start: float = 0.0, end: float | None = None) -> Tensor:
    """Return the mean of all channels between two times in seconds, resampled: float32 [time].

    It is read in blocks, so that memory is taken for the sound that is there and not for what the header says.
    """
    with _opened(path) as file:
        own = file.samplerate
        first = min(round(start * own), file.frames)
        file.seek(first)
        left = file.frames if end is None else min(max(0, round(end * own) - first), file.frames)
        blocks = []
        while left > 0:
            block = file.read(min(left, BLOCK), dtype="float32", always_2d=True)
            if len(block) == 0:
                break
            blocks.append(block.mean(axis=1))
            left -= len(block)
    samples = np.concatenate(blocks) if blocks else np.zeros(0, np.float32)
    return resampled(checked(torch.from_numpy(samples), f"{path}"), own, rate)


def write_wave(path: Path, wave: Tensor, rate: int) -> None:
    """Write a wave [time] with 16 bits, in the format that the suffix says; what is beyond -1..1 is clipped."""
    soundfile.write(path, wave.numpy(), rate, subtype="PCM_16")


def seconds_of(path: str | Path) -> float:
    """Return the length of a file in seconds, read from its header."""
    with _opened(path) as file:
        return float(file.frames / file.samplerate)


def rate_of(path: str | Path) -> int:
    """Return the sampling rate of a file in Hz, read from its header."""
    with _opened(path) as file:
        return int(file.samplerate)


@contextmanager
def _opened(path: str | Path) -> Iterator[Any]:
    """Open a sound whose header is plausible; everything else is one sentence."""
    if not Path(path).exists():
        raise ValueError(f"there is no sound {path}; check its name.")
    try:
        with soundfile.SoundFile(path) as file:
            if not SLOWEST <= file.samplerate <= FASTEST:
                raise ValueError(
                    f"{path} has a sampling rate of {file.samplerate} Hz; {SLOWEST} to {FASTEST:,} are read, so fix it "
                    "or remove it."
                )
            if file.frames > SAMPLES_PER_BYTE * Path(path).stat().st_size:
                raise ValueError(
                    f"{path} says that it has {file.frames:,} samples, more than its bytes can hold; fix it or remove "
                    "it."
                )
            yield file
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
