"""A clip: the place of a sound, and how its wave is read."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from hypertorus.sound.tensor_file import RATE, read_row, read_tensor
from hypertorus.sound.wave import checked, read_wave, resampled, seconds_of


class Clip(NamedTuple):
    """A sound file or a .pt file, a stretch of one in seconds, or a row of a .pt file with many waves."""

    path: str
    start: float = 0.0
    end: float | None = None
    row: int | None = None

    def wave(self, rate: int) -> Tensor:
        """Return the wave at this rate, float32 [time]; a ValueError says why it cannot be read."""
        if not self.path.endswith(".pt"):
            return read_wave(self.path, rate, self.start, self.end)
        wave = self._tensor()
        end = None if self.end is None else round(self.end * RATE)
        return resampled(checked(wave[round(self.start * RATE) : end], self.path), RATE, rate)

    def seconds(self) -> float:
        """Return the length in seconds, read from the header."""
        if self.end is not None:
            return self.end - self.start
        whole = len(self._tensor()) / RATE if self.path.endswith(".pt") else seconds_of(self.path)
        return whole - self.start

    def _tensor(self) -> Tensor:
        return read_tensor(self.path) if self.row is None else read_row(self.path, self.row)
