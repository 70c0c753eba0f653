"""A clip: where a sound lies, and the wave that is there."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from hypertorus.sound.tensor_file import RATE, read_row, read_tensor
from hypertorus.sound.wave import checked, read_wave, resampled, seconds_of


class Clip(NamedTuple):
    """A sound file or a .pt file, or from a second of it to another, or a row of a .pt file that has many."""

    path: str
    start: float = 0.0
    end: float | None = None
    row: int | None = None

    def wave(self, rate: int) -> Tensor:
        """Float32 [time] at this rate; a ValueError says why where there is none."""
        if not self.path.endswith(".pt"):
            return read_wave(self.path, rate, self.start, self.end)
        wave = self._tensor()
        end = None if self.end is None else round(self.end * RATE)
        return resampled(checked(wave[round(self.start * RATE) : end], self.path), RATE, rate)

    def seconds(self) -> float:
        """How long it is, by its header alone."""
        if self.end is not None:
            return self.end - self.start
        whole = len(self._tensor()) / RATE if self.path.endswith(".pt") else seconds_of(self.path)
        return whole - self.start

    def _tensor(self) -> Tensor:
        return read_tensor(self.path) if self.row is None else read_row(self.path, self.row)
