"""Pieces of views that change how loud the places of a spectrogram are.

Where a piece speaks of decibels, `depth` says how many of them there are from 0 to 1. A place of 0 is silence, which
stays silent. The ear makes the loudest place of a window 1; these pieces do, too, after they have changed the levels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import torch
from torch import Generator, Tensor

from hypertorus.losses.sound_pieces import MixingPiece, Piece, column
from hypertorus.sound.pictures import Pictures

USUAL_DEPTH = 80.0
"""Decibels from 0 to 1 where an ear stretches each window by its own quietest place: about those of a recording."""


@dataclass(frozen=True)
class Mix(MixingPiece):
    """Mixes each input with another; it keeps the label of the louder, whose weight is at least `louder`.

    Moummad and others, 2024, draw one weight for a batch; here each input has its own.
    """

    louder: float = 0.6

    @property
    def numbers(self) -> int:
        return 2

    def mix(self, inputs: Tensor, drawn: Tensor, batch: Tensor) -> Tensor:
        weight = self.louder + (1 - self.louder) * drawn[:, 1]
        return torch.lerp(batch[drawn[:, 0].long()], inputs, column(weight))


@dataclass(frozen=True)
class Swap(MixingPiece):
    """Gives a share of the inputs the mean over time of each band of another: its voice, its room, its microphone."""

    share: float = 0.5

    @property
    def numbers(self) -> int:
        return 2

    def mix(self, inputs: Tensor, drawn: Tensor, batch: Tensor) -> Tensor:
        others = batch[drawn[:, 0].long()].mean(dim=3, keepdim=True)
        gains = others - inputs.mean(dim=3, keepdim=True)
        return torch.where(column(drawn[:, 1]) < self.share, louder_by(inputs, gains), inputs)


@dataclass(frozen=True)
class Equaliser(Piece):
    """Makes each band louder or quieter, by decibels of this standard deviation."""

    bands: int
    depth: float
    decibels: float = 3.0

    @classmethod
    def for_sound(cls, sound: Pictures, dark: float) -> Self:
        del dark
        return cls(sound.bands, sound.depth or USUAL_DEPTH)

    @property
    def numbers(self) -> int:
        return self.bands

    def draw(self, inputs: int, generator: Generator) -> Tensor:
        """Return standard normal numbers: [inputs, bands]."""
        return torch.randn(inputs, self.bands, generator=generator)

    def view(self, inputs: Tensor, drawn: Tensor) -> Tensor:
        return louder_by(inputs, drawn.view(-1, 1, self.bands, 1) * self.decibels / self.depth)


@dataclass(frozen=True)
class Noise(Piece):
    """Adds noise whose level is from `loudest` to `quietest` decibels below the loudest place of the window.

    Powers are added. The noise of each place differs from its level by decibels of the standard deviation `rough`.
    """

    bands: int
    frames: int
    depth: float
    loudest: float = 15.0
    quietest: float = 47.0
    rough: float = 4.0

    @classmethod
    def for_sound(cls, sound: Pictures, dark: float) -> Self:
        del dark
        return cls(*sound.shape[1:], sound.depth or USUAL_DEPTH)

    @property
    def numbers(self) -> int:
        return 1 + self.bands * self.frames

    def draw(self, inputs: int, generator: Generator) -> Tensor:
        """Return a number in [0, 1) and a standard normal number for each place: [inputs, 1 + bands x frames]."""
        level = torch.rand(inputs, 1, generator=generator)
        return torch.cat([level, torch.randn(inputs, self.bands * self.frames, generator=generator)], dim=1)

    def view(self, inputs: Tensor, drawn: Tensor) -> Tensor:
        below = self.loudest + (self.quietest - self.loudest) * column(drawn[:, 0])
        noise = 1 + (self.rough * drawn[:, 1:].reshape(-1, 1, self.bands, self.frames) - below) / self.depth
        nepers = self.depth * math.log(10) / 10  # the logarithm of the power from 0 to 1
        power = (nepers * (inputs - 1)).exp() * (inputs > 0) + (nepers * (noise - 1)).exp()
        return _as_heard(1 + power.log() / nepers)


def louder_by(inputs: Tensor, gains: Tensor) -> Tensor:
    """Return the inputs with gains, in parts of the range 0..1, wherever there is a sound."""
    return _as_heard(torch.where(inputs > 0, inputs + gains, 0))


def _as_heard(inputs: Tensor) -> Tensor:
    """Return the inputs with the loudest place at 1, as the ear scales a window, and nothing below 0."""
    return (inputs + (1 - inputs.amax(dim=(2, 3), keepdim=True)) * (inputs != 0)).clamp_(0, 1)
