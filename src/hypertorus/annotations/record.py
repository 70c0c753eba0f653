"""An annotation: a stretch of a recording and the name of what sounds in it."""

from __future__ import annotations

import math
from dataclasses import dataclass

LONGEST = 1e9
"""Seconds, and Hz, from which on a number is a mistake: a recording of 31 years."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """A label from `start` to `end` seconds of the recording at `path`, with a score and a band if they are known.

    >>> Annotation("site/owl.wav", 3.0, 6.0, "Strix aluco", score=0.9)
    Annotation(path='site/owl.wav', start=3.0, end=6.0, label='Strix aluco', score=0.9, low=None, high=None)
    >>> Annotation("owl.wav", 6.0, 3.0, "Strix aluco")
    Traceback (most recent call last):
    ValueError: an annotation goes from 6.0 to 3.0 s; times are from 0 to 1e+09, and the end is not before the start.
    """

    path: str
    """Path of the recording, with `/` between folders."""
    start: float
    end: float
    label: str
    score: float | None = None
    """How sure the label is, 1 at most where it is a share; None if nobody said."""
    low: float | None = None
    """Lowest frequency in Hz."""
    high: float | None = None
    """Highest frequency in Hz."""

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end < LONGEST:
            raise ValueError(
                f"an annotation goes from {self.start} to {self.end} s; times are from 0 to {LONGEST:g}, and the end "
                "is not before the start."
            )
        if self.score is not None and not math.isfinite(self.score):
            raise ValueError(f"an annotation has the score {self.score}; it must be a finite number, or None.")
        if (self.low is None) != (self.high is None):
            raise ValueError(
                f"an annotation goes from {self.low} to {self.high} Hz; give both frequencies, or neither."
            )
        if self.low is not None and self.high is not None and not 0 <= self.low <= self.high < LONGEST:
            raise ValueError(
                f"an annotation goes from {self.low} to {self.high} Hz; frequencies are from 0 to {LONGEST:g}, and the "
                "highest is not below the lowest."
            )
        for name, text in (("path", self.path), ("label", self.label)):
            if "\0" in text or not _is_unicode(text):
                raise ValueError(f"an annotation has the {name} {text!r}, which no file can hold; rename it.")
        if not self.path:
            raise ValueError("an annotation has no path; name its recording.")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # the name of a file that is not UTF-8
        return False
    return True
