"""The ear of a microcontroller: log-mel spectrograms in integers, as `native/hypertorus_audio.h` makes them there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.sound.chip_ear import ChipEar
from hypertorus.sound.levels import Integers, levels, logarithms, step_for
from hypertorus.sound.spectrogram import mel_corners
from hypertorus.sound.transform import SIZES, powers

AT_ONCE = 1024
"""Number of frames that are transformed at once, to limit memory."""


@dataclass(frozen=True)
class ChipSpectrogram(ChipEar):
    """Log-mel spectrograms that a microcontroller computes, equal to its own bit for bit.

    A frame of `fft` samples is taken every `hop` samples, without padding, and its power is measured in `bands` bands,
    evenly spaced in mel from `lowest` to `highest` Hz. A window has `frames` of them. Its inputs are bytes over 255:
    1 at the loudest place of the window, 0 at `depth` decibels below that and wherever it is silent.

    >>> import torch
    >>> ear = ChipSpectrogram()
    >>> ear.inputs(torch.randn(20_000)).shape, ear.seconds
    (torch.Size([2, 1, 32, 50]), 1.012)
    """

    rate: int = 8000
    fft: int = 256
    hop: int = 160
    bands: int = 32
    frames: int = 50
    lowest: float = 80.0
    highest: float = 3900.0
    depth: float = 45.0
    padding: str = "zeros"
    """Padding of a last window that is not full: `zeros` after the sound, as when a stream ends, or `around` it, which
    suits clips of one word each, or the sound again (`repeat`). It is no matter of the chip, which hears a stream."""

    kind: ClassVar[str] = "chip"

    def __post_init__(self) -> None:
        if self.fft not in SIZES:
            raise ValueError(f"fft is {self.fft!r}; choose one of {', '.join(map(str, SIZES))}.")
        # Bands begin above the bins in which the mean of a frame is.
        self.check_settings(least=self.rate / self.fft, longest_hop=self.fft)

    @property
    def samples(self) -> int:
        """Number of samples in a window."""
        return (self.frames - 1) * self.hop + self.fft

    def levels(self, samples: npt.NDArray[np.int16]) -> Integers:
        """Return the levels [n, frames, bands] of all whole frames of sounds [n, time] of any equal length."""
        framed = np.lib.stride_tricks.sliding_window_view(samples, self.fft, axis=1)[:, :: self.hop]
        return np.stack(
            [
                np.concatenate([self._levels(one[first : first + AT_ONCE]) for first in range(0, len(one), AT_ONCE)])
                for one in framed
            ]
        )

    def _levels(self, frames: npt.NDArray[np.int16]) -> Integers:
        triangles = self.triangles()
        numbers, exponents = powers(frames, triangles.guard)
        within = numbers[:, triangles.first : triangles.first + len(triangles.weights)]
        rising = within * triangles.weights.astype(np.int64) >> 16
        starts = np.concatenate([[0], np.cumsum(triangles.counts, dtype=np.int64)])
        up, all_ = (np.diff(np.pad(np.cumsum(some, axis=1), ((0, 0), (1, 0)))[:, starts]) for some in (rising, within))
        sums = up[:, :-1] + (all_ - up)[:, 1:]
        logs = logarithms(sums) + 2048 * exponents[:, None]
        return np.where(sums > 0, levels(logs, step_for(self.depth)), 0)

    def triangles(self) -> Triangles:
        """Return the bands as tables of integers."""
        return _triangles(self)


class Triangles(NamedTuple):
    """Triangular bands between corners: where one falls the next rises, and their weights there add up to 1."""

    first: int
    """The first bin of the spectrum above the first corner."""
    counts: npt.NDArray[np.uint8]
    """Number of bins from each corner to the next, [bands + 1]."""
    weights: npt.NDArray[np.uint16]
    """Weight of each of these bins in the band that rises there, times 2**16."""
    guard: int
    """Bits by which powers are made smaller, so that 32 bits hold the sum over a band."""


@lru_cache(maxsize=8)
def _triangles(ear: ChipSpectrogram) -> Triangles:
    corners = mel_corners(ear.lowest, ear.highest, ear.bands)
    places = np.arange(1, ear.fft // 2) * ear.rate / ear.fft
    between = np.searchsorted(corners, places, side="right") - 1
    inside = (between >= 0) & (between <= ear.bands)
    places, between = places[inside], between[inside]
    rising = (places - corners[between]) / np.diff(corners)[between]
    weights = np.rint(rising * 2**16).clip(0, 2**16 - 1).astype(np.uint16)
    counts = np.bincount(between, minlength=ear.bands + 1)
    if not len(places):
        raise ValueError(f"no bin lies from {ear.lowest} to {ear.highest} Hz; make the bands wider, or fft larger.")
    first = int(np.flatnonzero(inside)[0]) + 1
    in_band = np.bincount(between, rising, ear.bands + 1)[:-1] + np.bincount(between, 1 - rising, ear.bands + 1)[1:]
    most = int(np.ceil(max(in_band.max(), counts.max())))
    return Triangles(first, counts.astype(np.uint8), weights, guard=max(1, most.bit_length() - 1))
