"""What all ears of a microcontroller share: levels in integers, and the bytes of windows and of streams."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from hypertorus.sound.levels import Integers, stream_bytes, window_bytes
from hypertorus.sound.windows import check_padding, windows


class ChipEar(ABC):
    """An ear that a microcontroller has, equal to its own bit for bit; `ChipSpectrogram` and `Resonators` are two."""

    kind: ClassVar[str]
    dtype: ClassVar[torch.dtype] = torch.float32

    rate: int
    hop: int
    bands: int
    frames: int
    lowest: float
    highest: float
    depth: float
    padding: str

    @property
    @abstractmethod
    def samples(self) -> int:
        """Number of samples in a window."""

    @abstractmethod
    def levels(self, samples: npt.NDArray[np.int16]) -> Integers:
        """Return the levels [n, frames, bands] of all whole frames of sounds [n, time] of any equal length."""

    @property
    def seconds(self) -> float:
        """Length of a window in seconds."""
        return self.samples / self.rate

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of an input: (1, bands, frames)."""
        return 1, self.bands, self.frames

    @property
    def band(self) -> tuple[float, float]:
        """Lowest and highest frequency that it hears, in Hz."""
        return self.lowest, self.highest

    def check(self) -> None:  # noqa: B027
        """Do nothing: numpy is all that it needs."""

    def windows(self, wave: Tensor) -> Tensor:
        """Return a wave [time] cut into windows [n, samples]; the last is padded, or dropped if under half full."""
        return windows(wave, self.samples, self.padding)

    def inputs(self, wave: Tensor) -> Tensor:
        """Return the inputs [windows, 1, bands, frames] of a wave [time] at `rate`, floats in 0..1."""
        heard = self.bytes(int16(self.windows(wave)))
        return torch.from_numpy(heard).unsqueeze(1).float() / 255

    def bytes(self, samples: npt.NDArray[np.int16]) -> npt.NDArray[np.uint8]:
        """Return the bytes [n, bands, frames] of windows [n, samples], the numbers that a network on the chip gets."""
        return window_bytes(self.levels(samples))

    def stream(self, samples: npt.NDArray[np.int16]) -> npt.NDArray[np.uint8]:
        """Return the bytes [n, bands, frames] of sounds [n, time] of any equal length, as `ht_stream_frame` gets them.

        Each frame is scaled by the loudest place of the window in whose middle it is, so it comes half a window late.
        """
        return stream_bytes(self.levels(samples), self.frames)

    def as_dict(self) -> dict[str, Any]:
        """Return the settings, ready for JSON."""
        return {"kind": self.kind, **asdict(self)}  # type: ignore[call-overload]

    def check_settings(self, least: float, longest_hop: int) -> None:
        """Raise an error if settings cannot be; `least` is the lowest `lowest`."""
        if type(self.rate) is not int or self.rate < 1:
            raise ValueError(f"rate is {self.rate!r}; it must be a whole number of at least 1.")
        for name in ("bands", "frames"):
            if type(getattr(self, name)) is not int or not 1 <= getattr(self, name) <= 255:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be a whole number from 1 to 255.")
        if not least <= self.lowest < self.highest <= self.rate / 2:
            raise ValueError(
                f"bands go from {self.lowest} to {self.highest} Hz; at {self.rate} samples per second they may go from "
                f"{least:g} to {self.rate / 2:g} Hz."
            )
        if not 10 <= self.depth <= 100:
            raise ValueError(f"depth is {self.depth}; it must be from 10 to 100 dB.")
        check_padding(self.padding)
        if type(self.hop) is not int or not 1 <= self.hop <= longest_hop:
            raise ValueError(f"hop is {self.hop!r}; it must be a whole number from 1 to {longest_hop}.")


def int16(wave: Tensor) -> npt.NDArray[np.int16]:
    """Return a wave of floats from -1 to 1 as the samples of 16 bits that a chip gets.

    >>> int16(torch.tensor([-1.0, 0.5, 1.0])).tolist()
    [-32768, 16384, 32767]
    """
    return (wave.double() * 2**15).round().clamp(-(2**15), 2**15 - 1).numpy().astype(np.int16)
