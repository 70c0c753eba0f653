"""Log-mel spectrograms: sound as the kind of picture that networks for images take."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from hypertorus.sound.windows import PADDINGS, windows

QUIETEST = 1e-10
"""The power below which everything is silence, -100 dB."""
AT_ONCE = 64
"""Windows that are transformed together; the spectrum of more would fill the memory."""


@dataclass(frozen=True)
class Spectrogram:
    """How sound becomes inputs; the defaults are those of ProtoCLR (Moummad and others, 2024).

    A wave is cut into windows of `seconds`. Of each the power in `bands` bands, evenly spaced in mel from `lowest` to
    `highest` Hz, is taken every `hop` samples over `fft` samples, in decibels, and stretched so that the quietest
    spot of the window is 0 and the loudest 1. The stretching takes away how loud a recording is, and with it the base
    of the logarithm.

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
    """What fills a window that the sound does not: the sound again, or `zeros`, whose silence would be stretched too
    and leave the sound itself little of 0..1."""
    depth: float | None = None
    """How many decibels below the loudest spot silence begins; None, as published, for no such limit. Compressed
    recordings (.ogg, .mp3) have holes of perfect silence where nobody would hear anything: for them, 60 or so."""

    dtype: ClassVar[torch.dtype] = torch.float16
    """It keeps 0..1 to 0.00025, less than a hundredth of what one decibel makes in the usual recording."""

    def __post_init__(self) -> None:
        for name in ("rate", "fft", "hop", "bands"):
            if type(getattr(self, name)) is not int or getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be a whole number of at least 1.")
        if not self.fft <= self.seconds * self.rate < 2**31:
            least = self.fft / self.rate
            raise ValueError(f"seconds is {self.seconds}; a spectrum takes {least:g} s, so give at least that.")
        if not 0 <= self.lowest < self.highest <= self.rate / 2:
            raise ValueError(
                f"bands go from {self.lowest} to {self.highest} Hz; at {self.rate} samples a second they may go from "
                f"0 to {self.rate / 2:g} Hz."
            )
        if self.padding not in PADDINGS:
            raise ValueError(f"padding is {self.padding!r}; there are {', '.join(PADDINGS)}.")
        if self.depth is not None and not 0 < self.depth < math.inf:
            raise ValueError(f"depth is {self.depth}; it must be above 0 dB, or None for no limit.")

    @property
    def samples(self) -> int:
        """Of a window."""
        return round(self.seconds * self.rate)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of an input."""
        return 1, self.bands, self.samples // self.hop + 1

    def check(self) -> None:
        """Torch is all it needs."""

    def __call__(self, waves: Tensor) -> Tensor:
        """Windows [n, samples] to inputs [n, 1, bands, frames], floats in 0..1."""
        return torch.cat([self._stretched(self.decibels(some)) for some in torch.split(waves, AT_ONCE)]).unsqueeze(1)

    def inputs(self, wave: Tensor) -> Tensor:
        """A wave [time] of any length, at `rate`, to inputs [windows, 1, bands, frames], rounded as they are kept."""
        return self(self.windows(wave)).to(self.dtype).float()

    def windows(self, wave: Tensor) -> Tensor:
        """A wave [time] cut into windows [n, samples]; the last one is padded, or left out if under half is left.

        >>> Spectrogram(rate=1024, seconds=1, highest=512).windows(torch.zeros(2600)).shape
        torch.Size([3, 1024])
        """
        return windows(wave, self.samples, self.padding)

    def decibels(self, waves: Tensor) -> Tensor:
        """Windows [n, samples] to the power of each band, [n, bands, frames], in dB from -100 up."""
        # In float64, for what float32 rounds off a loud sound is as much as there is in the holes of a compressed one.
        exact = waves.double()
        window = torch.hann_window(self.fft, dtype=exact.dtype, device=waves.device)
        spectrum = torch.stft(exact, self.fft, self.hop, window=window, pad_mode="reflect", return_complex=True)
        power = (spectrum.real.square() + spectrum.imag.square()).float()
        return 10 * (mel_filters(self).to(waves.device) @ power).clamp(min=QUIETEST).log10()

    def as_dict(self) -> dict[str, Any]:
        """The settings by name, as JSON takes them: `Spectrogram(**settings)` has them again."""
        return asdict(self)

    def _stretched(self, decibels: Tensor) -> Tensor:
        quietest, loudest = decibels.amin(dim=(1, 2), keepdim=True), decibels.amax(dim=(1, 2), keepdim=True)
        if self.depth is not None:
            quietest = quietest.maximum(loudest - self.depth)
        stretched = (decibels - quietest) / (loudest - quietest).clamp(min=1e-6)  # silence stays 0
        return stretched.clamp(min=0)


def mel(hertz: float) -> float:
    """How high a frequency is in mel, in which equal steps sound equal (O'Shaughnessy, 1987).

    >>> round(mel(1000), 2)
    999.99
    """
    return 2595 * math.log10(1 + hertz / 700)


def _hertz(mels: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return 700 * (10 ** (mels / 2595) - 1)


@lru_cache(maxsize=8)
def mel_filters(settings: Spectrogram) -> Tensor:
    """Triangles [bands, fft / 2 + 1] between frequencies evenly spaced in mel, of height 1.

    >>> mel_filters(Spectrogram()).shape
    torch.Size([128, 513])
    """
    corners = _hertz(np.linspace(mel(settings.lowest), mel(settings.highest), settings.bands + 2))
    places = np.linspace(0, settings.rate / 2, settings.fft // 2 + 1)
    rising = (places - corners[:-2, None]) / np.diff(corners)[:-1, None]
    falling = (corners[2:, None] - places) / np.diff(corners)[1:, None]
    return torch.from_numpy(np.maximum(0, np.minimum(rising, falling)).astype(np.float32))
