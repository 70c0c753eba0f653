"""A clip: the place of a sound, and how its wave is read."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from hypertorus.sound.tensor_file import RATE, read_row, read_tensor
from hypertorus.sound.wave import checked, read_wave, resampled, seconds_of

PIECE = 60.0
"""Length of a piece of a long recording in seconds, so that a day of sound needs only the memory of a minute."""


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

    def pieces(self, window: float) -> list[Clip]:
        """Return the clip as clips of about a minute; all but the last consist of whole windows of so many seconds.

        Whoever reads a long recording reads it in these pieces, so that the same window has the same numbers wherever
        it is read. The rest of the sound after whole windows counts as a window if it is at least half of one, so a
        shorter rest does not become a piece of its own.
        """
        if self.path.endswith(".pt"):  # these hold short clips, and are read whole in any case
            return [self]
        length = self.seconds()
        step = max(1, int(PIECE / window)) * window
        starts = [self.start + number * step for number in range(max(0, int((length - window / 2) / step)) + 1)]
        ends = [*starts[1:], self.start + length]
        return [self._replace(start=start, end=end) for start, end in zip(starts, ends, strict=True)]

    def _tensor(self) -> Tensor:
        return read_tensor(self.path) if self.row is None else read_row(self.path, self.row)
