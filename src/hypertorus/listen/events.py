"""Events: windows of one class that overlap or touch become one stretch of a recording."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hypertorus.annotations import Annotation
from hypertorus.classes import Classes, Judgements

TOUCH = 1e-6
"""Seconds between windows that still touch, for rounding."""


def events(
    path: str,
    starts: Sequence[float],
    window: float,
    judged: Judgements,
    classes: Classes,
    threshold: float,
    band: tuple[float, float],
) -> list[Annotation]:
    """Return the events of a recording in the order of their starts.

    The score of an event is that of its surest window, and its distance that of the nearest.
    """
    found: list[Annotation] = []
    for number in np.unique(judged.classes[judged.classes >= 0]):
        rows = np.flatnonzero((judged.classes == number) & (judged.shares >= threshold))
        times = np.asarray(starts)[rows]
        breaks = np.flatnonzero(np.diff(times) > window + TOUCH) + 1
        for event in np.split(rows, breaks) if len(rows) else ():
            first, last = starts[event[0]], starts[event[-1]] + window
            share, distance = float(judged.shares[event].max()), float(judged.distances[event].min())
            name = classes.name(int(number))
            found.append(Annotation(path, first, last, name, round(share, 4), *band, round(distance, 4)))
    return sorted(found, key=lambda event: (event.start, event.end, event.label))
