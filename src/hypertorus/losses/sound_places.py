"""Pieces of views that move, stretch or mask the places of a spectrogram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor
from torch.nn import functional as F

from hypertorus.losses.sound_pieces import Piece, column
from hypertorus.sound.pictures import Pictures
from hypertorus.sound.spectrogram import mel

SHIFT = 0.14
"""Furthest shift in time, in seconds."""
PUBLISHED_BANDS, PUBLISHED_FRAMES = 128, 251
"""Size of the smaller of the published spectrograms, of 5 s."""


@dataclass(frozen=True)
class Roll(Piece):
    """Moves each input in time by any number of frames; frames that leave at the end come back at the start."""

    @property
    def numbers(self) -> int:
        return 1

    def view(self, inputs: Tensor, drawn: Tensor) -> Tensor:
        frames = inputs.shape[3]
        return _taken(inputs, (_along(inputs) - (drawn * frames).long()) % frames)


@dataclass(frozen=True)
class Shift(Piece):
    """Moves each input in time by up to `most` frames to either side; silence comes in."""

    most: int

    @classmethod
    def for_sound(cls, sound: Pictures, dark: float) -> Self:
        del dark
        return cls(round(SHIFT * sound.rate / sound.hop))

    @property
    def numbers(self) -> int:
        return 1

    def view(self, inputs: Tensor, drawn: Tensor) -> Tensor:
        frames = inputs.shape[3]
        origins = _along(inputs) - ((drawn * (2 * self.most + 1)).long() - self.most)
        outside = (origins < 0) | (origins >= frames)
        return _taken(inputs, origins.clamp(0, frames - 1)).masked_fill_(outside.view(-1, 1, 1, frames), 0)


@dataclass(frozen=True)
class Warp(Piece):
    """Plays a share of the inputs at another rate and tempo, by a voice with another vocal tract.

    A rate stretches time and pitch, a tempo time alone, and a longer or shorter vocal tract moves all frequencies by a
    factor. Each is drawn evenly on a logarithmic scale, up to its factor or down to one by it. The middle of the window
    stays where it is, and silence comes in from its ends. Beyond the last band it sounds as in the last band.
    """

    band: tuple[float, float]
    """Lowest and highest frequency of the spectrogram, in Hz."""
    share: float = 0.5
    rate: float = 1.25
    tempo: float = 1.3
    tract: float = 1.22

    @classmethod
    def for_sound(cls, sound: Pictures, dark: float) -> Self:
        del dark
        return cls(sound.band)

    @property
    def numbers(self) -> int:
        return 4

    def view(self, inputs: Tensor, drawn: Tensor) -> Tensor:
        bands, frames = inputs.shape[2:]
        rate, tempo, tract = (
            factor ** (2 * number - 1)
            for factor, number in zip((self.rate, self.tempo, self.tract), drawn[:, 1:].T, strict=True)
        )
        along = torch.linspace(-1, 1, frames, device=inputs.device) * (rate * tempo).unsqueeze(1)
        across = self._across(bands, rate * tract)
        size = (len(inputs), bands, frames)
        grid = torch.stack([along.unsqueeze(1).expand(size), across.unsqueeze(2).expand(size)], dim=3)
        warped = F.grid_sample(inputs, grid, padding_mode="border", align_corners=True)
        warped = warped.masked_fill(along.abs().view(-1, 1, 1, frames) > 1 + 1e-6, 0)
        return torch.where(column(drawn[:, 0]) < self.share, warped, inputs)

    def _across(self, bands: int, factors: Tensor) -> Tensor:
        """Return the places [n, bands], from -1 to 1, where the frequencies of the bands were before these factors."""
        lowest, highest = map(mel, self.band)
        step = (highest - lowest) / (bands + 1)
        mels = lowest + step * torch.arange(1, bands + 1, device=factors.device)
        # mel(hertz / factor), with 1 + hertz / 700 = 10^(mel / 2595)
        before = 2595 * (1 + (10 ** (mels / 2595) - 1) / factors.unsqueeze(1)).log10()
        return ((before - lowest) / step - 1) * 2 / (bands - 1) - 1


@dataclass(frozen=True)
class Stripes(Piece):
    """Masks stripes of bands and of frames."""

    band_stripes: int = 3
    """Number of masked stripes of bands."""
    bands: int = 10
    """Width that a stripe of bands stays below."""
    frame_stripes: int = 5
    """Number of masked stripes of frames."""
    frames: int = 30
    """Width that a stripe of frames stays below."""
    dark: float = 0.0
    """Value of masked places: as published, silence. SpecAugment (Park and others, 2019) fills in the mean of the data,
    which keeps the statistics that a network normalises by."""

    @classmethod
    def for_sound(cls, sound: Pictures, dark: float) -> Self:
        """Return the published stripes; smaller spectrograms get narrower ones, so that the same share is masked."""
        _, bands, frames = sound.shape
        return cls(
            bands=min(cls.bands, cls.bands * bands // PUBLISHED_BANDS),
            frames=min(cls.frames, cls.frames * frames // PUBLISHED_FRAMES),
            dark=dark,
        )

    @property
    def numbers(self) -> int:
        return 2 * (self.band_stripes + self.frame_stripes)

    def view(self, inputs: Tensor, drawn: Tensor) -> Tensor:
        _, _, bands, frames = inputs.shape
        widths, places = drawn.chunk(2, dim=1)
        cut = self.band_stripes
        dark_bands = _stripes(widths[:, :cut] * self.bands, places[:, :cut], bands)
        dark_frames = _stripes(widths[:, cut:] * self.frames, places[:, cut:], frames)
        return inputs.masked_fill((dark_bands.unsqueeze(2) | dark_frames.unsqueeze(1)).unsqueeze(1), self.dark)


def _along(inputs: Tensor) -> Tensor:
    return torch.arange(inputs.shape[3], device=inputs.device)


def _taken(inputs: Tensor, origins: Tensor) -> Tensor:
    """Return each input with the frames of these numbers [n, frames]."""
    return inputs.gather(3, origins.view(-1, 1, 1, inputs.shape[3]).expand_as(inputs))


def _stripes(widths: Tensor, places: Tensor, size: int) -> Tensor:
    """Return a mask [n, size] of the stripes with these widths and places, both [n, stripes]."""
    begin = (places * (size - widths)).long().unsqueeze(2)
    along = torch.arange(size, device=widths.device)
    return ((along >= begin) & (along < begin + widths.long().unsqueeze(2))).any(dim=1)
