"""Overlapping windows of recordings of any length, encoded a minute at a time on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.utils.data import Dataset

from hypertorus.listen.encode import ear_of, in_processes
from hypertorus.models.model import Model
from hypertorus.sound.clip import PIECE
from hypertorus.sound.silence import silent
from hypertorus.sound.wave import read_wave

MARGIN = 0.02
"""Seconds that are read beyond a window, and that may be missing at the end: what resampling moves an edge by."""


class Span(NamedTuple):
    """About a minute of a recording: a number of windows, each `hop` seconds after the one before."""

    path: str
    begin: float
    windows: int
    hop: float
    last: float | None = None
    """Start of one more window, the one that ends with the recording."""

    @property
    def starts(self) -> list[float]:
        """Start of each window in seconds.

        >>> Span("owl.wav", 60.0, 2, 1.5, last=62.0).starts
        [60.0, 61.5, 62.0]
        """
        own = [self.begin + number * self.hop for number in range(self.windows)]
        return own if self.last is None else [*own, self.last]


def spans_of(path: str, seconds: float, window: float, hop: float) -> list[Span]:
    """Return the windows of a recording of this length; no part of it is in none of them, and none is padded.

    >>> [span.starts for span in spans_of("owl.wav", 8.0, 3.0, 1.5)], spans_of("owl.wav", 2.5, 3.0, 1.5)
    ([[0.0, 1.5, 3.0, 4.5, 5.0]], [])
    """
    if seconds < window - MARGIN:
        return []
    count = int((seconds - window + MARGIN) / hop) + 1
    rest = seconds - window - (count - 1) * hop
    at_once = max(1, int(PIECE / hop))
    spans = [Span(path, begin * hop, min(at_once, count - begin), hop) for begin in range(0, count, at_once)]
    if rest > MARGIN:
        spans[-1] = spans[-1]._replace(last=seconds - window)
    return spans


class EncodedSpan(NamedTuple):
    """The codes of the windows of a span, and which of them have nothing to hear."""

    codes: npt.NDArray[np.uint8]
    silent: npt.NDArray[np.bool_]


def encode_spans(
    spans: Sequence[Span], model: Model, bits: int, coordinates: int | None = None
) -> Iterator[EncodedSpan | str]:
    """Yield the codes of each span, in order, or a sentence on why it cannot be read."""
    for item in in_processes(_Spans(spans, model, bits, coordinates), len(spans)):
        yield item if isinstance(item, str) else EncodedSpan(item[0].numpy(), item[1].numpy())


class _Spans(Dataset[tuple[Tensor, Tensor] | str]):
    def __init__(self, spans: Sequence[Span], model: Model, bits: int, coordinates: int | None) -> None:
        self.spans, self.model, self.bits, self.coordinates = spans, model, bits, coordinates

    def __len__(self) -> int:
        return len(self.spans)

    def __getitem__(self, number: int) -> tuple[Tensor, Tensor] | str:
        ear = ear_of(self.model)
        try:
            windows = _windows(self.spans[number], ear.rate, ear.seconds)
        except (ValueError, OSError) as error:
            return str(error)
        codes = self.model.encode(ear.inputs(windows.reshape(-1)), self.bits, coordinates=self.coordinates)
        return torch.from_numpy(codes), silent(windows)


def _windows(span: Span, rate: int, seconds: float) -> Tensor:
    """Return the windows [n, samples] of a span."""
    starts, samples, margin = span.starts, round(seconds * rate), round(2 * MARGIN * rate)
    wave = read_wave(span.path, rate, span.begin, starts[-1] + seconds + MARGIN)
    first = [round((start - span.begin) * rate) for start in starts]
    if first[-1] + samples > len(wave) + margin or len(wave) < samples - margin:
        raise ValueError(
            f"{span.path} has {len(wave) / rate:.1f} s of sound from {span.begin:g} s on, and its header says more; "
            "copy it again."
        )
    if len(wave) < samples:
        wave = torch.nn.functional.pad(wave, (0, samples - len(wave)))
    first = [min(place, len(wave) - samples) for place in first]
    return torch.stack([wave[place : place + samples] for place in first])
