"""Listens to recordings, one after the other, and says what is heard in each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from hypertorus.annotations import Annotation
from hypertorus.classes import Classes, Judgements
from hypertorus.files.progress import Progress
from hypertorus.listen.detections import Heard, check_name
from hypertorus.listen.encode import ear_of
from hypertorus.listen.events import judged_events
from hypertorus.listen.overlap import EncodedSpan, Span, encode_spans, spans_of
from hypertorus.models.model import Model
from hypertorus.sound.wave import seconds_of

Pieces = list[tuple[Span, EncodedSpan | str]]


class Listener:
    """A model and classes, and how recordings below the folder `base` are cut and judged."""

    def __init__(
        self, model: Model, guide: Classes, overlap: float, threshold: float, base: Path, formats: Sequence[str]
    ) -> None:
        self.model, self.guide, self.threshold, self.base, self.formats = model, guide, threshold, base, formats
        self.window = ear_of(model).seconds
        self.hop = self.window * (1 - overlap)

    def name(self, path: str) -> str:
        """Return the path of a recording relative to the folder of all."""
        return Path(os.path.relpath(path, self.base)).as_posix()

    def opened(self, path: str) -> Heard:
        """Return what is known of a recording before it is heard; a note says that it cannot be."""
        status = Path(path).stat()
        heard = Heard(self.name(path), status.st_size, status.st_mtime_ns, 0.0, 0, 0, 0, "", complete=True, events=())
        try:
            check_name(heard.path, self.formats)
            heard = replace(heard, seconds=seconds_of(path))
        except ValueError as error:
            return replace(heard, note=str(error), complete=False)
        if not self._spans(heard):
            note = f"{heard.path} has {heard.seconds:.1f} s, less than a window of {self.window:g} s: it is not judged."
            return replace(heard, note=note)
        return heard

    def listen(self, fresh: list[Heard], finished: Callable[[Heard], None], progress: Progress | None) -> None:
        """Listen to recordings in turn, and pass on what was heard in each as soon as it is done."""
        bits, width = int(self.guide.examples.bits or 8), self.guide.examples.width
        spans = [self._spans(heard) if not heard.note else [] for heard in fresh]
        codes = encode_spans([span for own in spans for span in own], self.model, bits, width)
        total, done = sum(heard.seconds for heard in fresh), 0.0
        for heard, own in zip(fresh, spans, strict=True):
            pieces: Pieces = []
            for span in own:
                pieces.append((span, next(codes)))
                done += heard.seconds / len(own)
                if progress:
                    progress(round(done), round(total))
            finished(self._judged(heard, pieces) if own else heard)

    def _spans(self, heard: Heard) -> list[Span]:
        return spans_of(str(self.base / heard.path), heard.seconds, self.window, self.hop)

    def _judged(self, heard: Heard, pieces: Pieces) -> Heard:
        notes = [
            reason if span.begin == 0 else f"From {span.begin:g} s on, {reason}"
            for span, reason in pieces
            if isinstance(reason, str)
        ]
        encoded = [(span, piece) for span, piece in pieces if not isinstance(piece, str)]
        quiet = np.concatenate([piece.silent for _, piece in encoded] or [np.zeros(0, bool)])
        silent, windows = int(quiet.sum()), len(quiet)
        if windows == silent:
            notes += [f"{heard.path} is silent: it is not judged."] if windows else []
            found, nothing = list[Annotation](), 0
        else:
            starts = np.concatenate([span.starts for span, _ in encoded])[~quiet]
            found, nothing = self._events(heard.path, starts.tolist(), [piece for _, piece in encoded])
        return replace(
            heard,
            windows=windows,
            silent=silent,
            nothing=nothing,
            note=next(iter(notes), ""),
            complete=len(encoded) == len(pieces),
            events=tuple(found),
        )

    def _events(self, path: str, starts: list[float], pieces: list[EncodedSpan]) -> tuple[list[Annotation], int]:
        """Return the events, and the number of windows that are in none."""
        judgements = [self.guide.judge(piece.codes[~piece.silent]) for piece in pieces]
        judged = Judgements(*map(np.concatenate, zip(*judgements, strict=True)))
        nothing = int(((judged.classes < 0) | (judged.shares < self.threshold)).sum())
        band = ear_of(self.model).band
        return judged_events(path, starts, self.window, judged, self.guide, self.threshold, band), nothing
