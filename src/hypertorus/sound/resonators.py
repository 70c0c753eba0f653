"""The ear of an 8-bit microcontroller: resonators in integers, as `native/hypertorus_resonators.h` has them there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.sound.chip_ear import ChipEar
from hypertorus.sound.levels import ONE, Integers, levels, logarithms, step_for
from hypertorus.sound.spectrogram import mel_corners

LARGEST = 2**23 - 1
"""What the numbers of a resonator may reach, in 24 bits."""
QUIETEST = 32
"""Amplitude of the tone that has level 255; at 45 dB below it nothing is left of rounding."""
AT_ONCE = 64
"""Number of sounds that are heard at once, to limit memory."""
LONGEST = 511
"""Most samples of a slice, so that 32 bits hold the sum of its amplitudes."""


@dataclass(frozen=True)
class Resonators(ChipEar):
    """The loudness of sound in bands by a bank of resonators, for 8-bit microcontrollers with little memory.

    Each of `bands` resonators, evenly spaced in mel from `lowest` to `highest` Hz, swings along with what is near its
    own frequency. Its mean amplitude over slices of `hop` samples is its loudness; a window has `frames` slices. Inputs
    are bytes over 255: 1 at the loudest place of the window, 0 at `depth` decibels below it. Each window begins in
    silence.

    >>> import torch
    >>> Resonators().inputs(torch.zeros(8000)).shape
    torch.Size([1, 1, 12, 25])
    """

    rate: int = 8000
    hop: int = 320
    bands: int = 12
    frames: int = 25
    lowest: float = 80.0
    highest: float = 3900.0
    depth: float = 45.0
    padding: str = "zeros"
    """Padding of a last window that is not full: `zeros` after the sound, as when a stream ends, or `around` it, which
    suits clips of one word each, or the sound again (`repeat`). It is no matter of the chip, which hears a stream."""

    kind: ClassVar[str] = "resonators"

    def __post_init__(self) -> None:
        self.check_settings(least=self.rate / 200, longest_hop=LONGEST)

    @property
    def samples(self) -> int:
        """Number of samples in a window."""
        return self.frames * self.hop

    def levels(self, samples: npt.NDArray[np.int16]) -> Integers:
        """Return the levels [n, slices, bands] of all whole slices of sounds [n, time] that begin in silence."""
        return np.concatenate(
            [self._levels(samples[first : first + AT_ONCE]) for first in range(0, len(samples), AT_ONCE)]
        )

    def _levels(self, samples: npt.NDArray[np.int16]) -> Integers:
        bank = self.bank()
        gains, keeps, turns = (table.astype(np.int64) for table in bank[:3])
        slices = samples.shape[1] // self.hop
        swings = samples[:, : slices * self.hop, None] * gains  # what each sample adds to along, then along itself
        across = np.zeros((len(samples), self.bands), np.int64)
        along, moved = np.zeros_like(across), np.zeros_like(across)
        for place in range(_first_sound(samples), slices * self.hop):
            np.multiply(across, turns, out=moved)
            moved >>= 8
            along *= keeps
            along >>= 8
            along -= moved
            along -= moved
            along += swings[:, place]
            swings[:, place] = along
            np.multiply(along, turns, out=moved)
            moved >>= 8
            across += moved
            across += moved
        heard = np.abs(swings).reshape(len(samples), slices, self.hop, self.bands).sum(axis=2)
        logs = 2 * logarithms(heard) - bank.offsets.astype(np.int64) * (ONE // 256)
        return np.where(heard > 0, levels(logs, step_for(self.depth)), 0)

    def bank(self) -> Bank:
        """Return the coefficients of the resonators."""
        return _bank(self)


class Bank(NamedTuple):
    """Coefficients of the resonators, [bands] each.

    A resonator is a point (along, across) that turns. Each sample x moves it: along becomes `keeps / 256` times along,
    less `turns / 128` times across, plus `gains` times x; then across grows by `turns / 128` times along.
    """

    gains: npt.NDArray[np.uint8]
    """As large as can be without an overflow, whatever the samples are."""
    keeps: npt.NDArray[np.uint8]
    turns: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.int16]
    """256 log2 of the power that is level 255: a tone of the band's frequency and of amplitude `QUIETEST`."""


def _first_sound(samples: npt.NDArray[np.int16]) -> int:
    """Return the number of samples [n, time] before which all resonators are at rest."""
    sounding = np.flatnonzero(samples.any(axis=0))
    return int(sounding[0]) if len(sounding) else samples.shape[1]


@lru_cache(maxsize=8)
def _bank(ear: Resonators) -> Bank:
    corners = mel_corners(ear.lowest, ear.highest, ear.bands)
    centres, widths = corners[1:-1], (corners[2:] - corners[:-2]) / 2
    angles = 2 * np.pi * centres / ear.rate
    keeps = np.rint(256 * np.exp(-2 * np.pi * widths / ear.rate)).clip(1, 255)
    keep = keeps / 256
    turns = np.rint(128 * np.sqrt(1 + keep - 2 * np.sqrt(keep) * np.cos(angles))).clip(1, 255)
    turn = turns / 128
    pushed, lifted = _swings(keep, turn, along=1.0), _swings(keep, turn, along=0.0)
    # Rounding down takes up to 3 from along and up to 2 from across at each sample.
    rounding = (3 * pushed + 2 * lifted).max(axis=0)
    gains = np.floor((LARGEST - rounding) / (2**15 * pushed.max(axis=0))).clip(1, 255)
    z = np.exp(-1j * angles)
    peak = np.abs((1 - z) / (1 - (1 + keep - turn**2) * z + keep * z**2))
    offsets = 2 * 256 * np.log2(QUIETEST * gains * peak * ear.hop * 2 / np.pi)
    gain, keep, turn = (table.astype(np.uint8) for table in (gains, keeps, turns))
    return Bank(gain, keep, turn, np.rint(offsets).astype(np.int16))


def _swings(keep: Any, turn: Any, along: float) -> npt.NDArray[np.float64]:
    """Return the sums of what |along| and |across| are, [2, bands], after a push of 1 to one of the two."""
    a, b = np.full_like(keep, along), np.full_like(keep, 1 - along)
    if along:
        b = turn * a
    sums = np.abs(np.stack([a, b]))
    for _ in range(4000):
        a = keep * a - turn * b
        b = b + turn * a
        sums += np.abs(np.stack([a, b]))
    return sums
