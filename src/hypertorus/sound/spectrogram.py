"""Log-mel spectrograms: sound as images."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from hypertorus.sound.windows import check_padding, windows

QUIETEST = 1e-10
"""Power below which everything counts as silence, -100 dB."""
SILENCE = -99.999
"""Decibels that the loudest place of a window is above unless all of it is perfectly silent."""
AT_ONCE = 64
"""Number of windows that are transformed at once, to limit memory."""


@dataclass(frozen=True)
class Spectrogram:
    """Turns sound into log-mel spectrograms; the defaults are those of ProtoCLR (Moummad and others, 2024).

    A wave is cut into windows of `seconds`. In each window the power in `bands` bands, evenly spaced in mel from
    `lowest` to `highest` Hz, is measured every `hop` samples over `fft` samples, in decibels, and scaled so that the
    quietest place of the window is 0 and the loudest 1. The scaling removes the loudness of a recording, and the base
    of the logarithm with it. `KEYWORD` has the settings for words on a microcontroller, which differ in all of this.

    >>> spectrogram = Spectrogram(seconds=2)
    >>> spectrogram(torch.randn(3, 32_000)).shape, spectrogram.shape
    (torch.Size([3, 1, 128, 101]), (1, 128, 101))
    """

    rate: int = 16_000
    seconds: float = 6.0
    fft: int = 1024
    hop: int = 320
    bands: int = 128
    lowest: float = 50.0
    highest: float = 8000.0
    padding: str = "repeat"
    """Padding of the last window: `repeat` the sound, `zeros` after it, or zeros `around` it. Their silence takes most
    of the range when the window is stretched to 0..1."""
    depth: float | None = None
    """Dynamic range in decibels: anything further below the loudest place is silence; None, as published, for no limit.
    Compressed recordings (.ogg, .mp3) have holes of perfect silence in inaudible places; 60 suits them."""
    centred: bool = True
    """Whether the middle of frame t is sample `hop` x t, and the window is reflected at its ends. Otherwise frame t is
    the samples from `hop` x t to `hop` x t + `fft` - 1, and all frames lie within the window."""
    stretched: bool = True
    """Whether each window is stretched so that its quietest place is 0. Otherwise 0 is `depth` below the loudest place.
    A window of perfect silence is 0 everywhere in either case."""

    dtype: ClassVar[torch.dtype] = torch.float16
    """Half precision keeps 0..1 to 0.00025, less than a hundredth of a decibel in the usual recording."""

    def __post_init__(self) -> None:
        for name in ("rate", "fft", "hop", "bands"):
            if type(getattr(self, name)) is not int or getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be a whole number of at least 1.")
        if not self.fft <= self.seconds * self.rate < 2**31:
            least = self.fft / self.rate
            raise ValueError(f"seconds is {self.seconds}; a spectrum needs {least:g} s, so make it at least that.")
        if not 0 <= self.lowest < self.highest <= self.rate / 2:
            raise ValueError(
                f"bands go from {self.lowest} to {self.highest} Hz; at {self.rate} samples per second they may go from "
                f"0 to {self.rate / 2:g} Hz."
            )
        check_padding(self.padding)
        if self.depth is not None and not 0 < self.depth < math.inf:
            raise ValueError(f"depth is {self.depth}; it must be above 0 dB, or None for no limit.")
        if self.depth is None and not self.stretched:
            raise ValueError(
                "depth is None, but windows that are not stretched need it; give the decibels from 0 to 1."
            )

    @property
    def samples(self) -> int:
        """Number of samples in a window."""
        return round(self.seconds * self.rate)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of an input: (1, bands, frames)."""
        frames = self.samples if self.centred else self.samples - self.fft
        return 1, self.bands, frames // self.hop + 1

    @property
    def band(self) -> tuple[float, float]:
        """Lowest and highest frequency that it hears, in Hz."""
        return self.lowest, self.highest

    def check(self) -> None:
        """Do nothing: torch is all that a spectrogram needs."""

    def __call__(self, waves: Tensor) -> Tensor:
        """Return the spectrograms [n, 1, bands, frames] of windows [n, samples], floats in 0..1."""
        return torch.cat([self._scaled(self.decibels(some)) for some in torch.split(waves, AT_ONCE)]).unsqueeze(1)

    def inputs(self, wave: Tensor) -> Tensor:
        """Return the inputs [windows, 1, bands, frames] of a wave [time] at `rate`, rounded as they are stored."""
        return self(self.windows(wave)).to(self.dtype).float()

    def windows(self, wave: Tensor) -> Tensor:
        """Return a wave [time] cut into windows [n, samples]; the last is padded, or dropped if it is under half full.

        >>> Spectrogram(rate=1024, seconds=1, highest=512).windows(torch.zeros(2600)).shape
        torch.Size([3, 1024])
        """
        return windows(wave, self.samples, self.padding)

    def decibels(self, waves: Tensor) -> Tensor:
        """Return the power of each band, [n, bands, frames], of windows [n, samples], in dB from -100 up."""
        # In float64: rounding a loud sound to float32 leaves as much noise as the holes of a compressed one hold.
        exact = waves.double()
        window = torch.hann_window(self.fft, dtype=exact.dtype, device=waves.device)
        spectrum = torch.stft(
            exact, self.fft, self.hop, window=window, center=self.centred, pad_mode="reflect", return_complex=True
        )
        power = (spectrum.real.square() + spectrum.imag.square()).float()
        return 10 * (mel_filters(self).to(waves.device) @ power).clamp(min=QUIETEST).log10()

    def as_dict(self) -> dict[str, Any]:
        """Return the settings by name, ready for JSON: `Spectrogram(**settings)` restores them."""
        settings = asdict(self)
        for name in ("centred", "stretched"):  # as it is in models that are older than these settings
            if settings[name]:
                del settings[name]
        return settings

    def _scaled(self, decibels: Tensor) -> Tensor:
        quietest, loudest = decibels.amin(dim=(1, 2), keepdim=True), decibels.amax(dim=(1, 2), keepdim=True)
        if not self.stretched:
            assert self.depth is not None
            scaled = (1 + (decibels - loudest) / self.depth).clamp(min=0)
            return scaled.masked_fill(loudest <= SILENCE, 0)
        if self.depth is not None:
            quietest = quietest.maximum(loudest - self.depth)
        scaled = (decibels - quietest) / (loudest - quietest).clamp(min=1e-6)  # silence stays 0
        return scaled.clamp(min=0)


KEYWORD = Spectrogram(
    rate=8000,
    seconds=1.012,
    fft=256,
    hop=160,
    bands=32,
    lowest=80.0,
    highest=3900.0,
    padding="around",
    depth=45.0,
    centred=False,
    stretched=False,
)
"""The ear for words and calls on a microcontroller, which computes the same of a stream of samples: 50 frames of 32
bands, each frame as soon as its 256 samples are there, and 0..1 as a byte."""


def mel(hertz: float) -> float:
    """How high a frequency is in mel, in which equal steps sound equal (O'Shaughnessy, 1987).

    >>> round(mel(1000), 2)
    999.99
    """
    return 2595 * math.log10(1 + hertz / 700)


def mel_corners(lowest: float, highest: float, bands: int) -> npt.NDArray[np.float64]:
    """Return the corners [bands + 2] of triangular bands in Hz, evenly spaced in mel; band i peaks at corner i + 1.

    >>> mel_corners(0, 4000, 3).round().tolist()
    [0.0, 427.0, 1114.0, 2220.0, 4000.0]
    """
    return 700 * (10 ** (np.linspace(mel(lowest), mel(highest), bands + 2) / 2595) - 1)


@lru_cache(maxsize=8)
def mel_filters(settings: Spectrogram) -> Tensor:
    """Triangles [bands, fft / 2 + 1] between frequencies evenly spaced in mel, of height 1.

    >>> mel_filters(Spectrogram()).shape
    torch.Size([128, 513])
    """
    corners = mel_corners(settings.lowest, settings.highest, settings.bands)
    places = np.linspace(0, settings.rate / 2, settings.fft // 2 + 1)
    rising = (places - corners[:-2, None]) / np.diff(corners)[:-1, None]
    falling = (corners[2:, None] - places) / np.diff(corners)[1:, None]
    return torch.from_numpy(np.maximum(0, np.minimum(rising, falling)).astype(np.float32))
