"""Events: windows of a recording with the same label that overlap or touch become one stretch of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hypertorus.annotations.record import Annotation

TOUCH = 1e-6
"""Seconds between windows that still touch, for rounding."""


def events(windows: Iterable[Annotation]) -> list[Annotation]:
    """Return the events of annotated windows, recording by recording and in the order of their starts.

    The score of an event is that of its surest window, and its distance that of the nearest.

    >>> owl = [Annotation("a.wav", start, start + 3, "owl", score) for start, score in ((0, 0.6), (3, 0.9), (9, 0.7))]
    >>> [(event.start, event.end, event.score) for event in events(owl)]
    [(0, 6, 0.9), (9, 12, 0.7)]
    """
    recordings: dict[str, list[Annotation]] = {}
    for window in windows:
        recordings.setdefault(window.path, []).append(window)
    return [event for own in recordings.values() for event in _of_recording(own)]


def _of_recording(windows: list[Annotation]) -> list[Annotation]:
    done: list[Annotation] = []
    last: dict[str, Annotation] = {}
    for window in sorted(windows, key=lambda window: window.start):
        before = last.get(window.label)
        if before is not None and window.start <= before.end + TOUCH:
            last[window.label] = _joined(before, window)
        else:
            done += [] if before is None else [before]
            last[window.label] = window
    return sorted([*done, *last.values()], key=lambda event: (event.start, event.end, event.label))


def _joined(one: Annotation, other: Annotation) -> Annotation:
    scores = [each.score for each in (one, other) if each.score is not None]
    distances = [each.distance for each in (one, other) if each.distance is not None]
    bands = [(each.low, each.high) for each in (one, other) if each.low is not None and each.high is not None]
    return replace(
        one,
        end=max(one.end, other.end),
        score=max(scores, default=None),
        low=min((low for low, _ in bands), default=None),
        high=max((high for _, high in bands), default=None),
        distance=min(distances, default=None),
    )
