"""What the views of spectrograms ask of an ear that makes pictures."""

from __future__ import annotations

from typing import Protocol


class Pictures(Protocol):
    """An ear whose inputs are pictures (1, bands, frames) in 0..1, linear in decibels, with the loudest place at 1."""

    @property
    def rate(self) -> int:
        """Samples a second."""

    @property
    def hop(self) -> int:
        """Samples from a frame to the next."""

    @property
    def bands(self) -> int:
        """Bands of a frame, evenly spaced in mel."""

    @property
    def band(self) -> tuple[float, float]:
        """Lowest and highest frequency that it hears, in Hz."""

    @property
    def depth(self) -> float | None:
        """Decibels from 0 to 1; None if each window is stretched by its own quietest place."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of an input: (1, bands, frames)."""
