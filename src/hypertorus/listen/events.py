"""Windows that were judged, as events: what is sure enough, merged where windows of one class overlap or touch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hypertorus.annotations import Annotation, events
from hypertorus.classes import Classes, Judgements


def judged_events(
    path: str,
    starts: Sequence[float],
    window: float,
    judged: Judgements,
    classes: Classes,
    threshold: float,
    band: tuple[float, float],
) -> list[Annotation]:
    """Return the events of a recording in the order of their starts."""
    windows = []
    for row in np.flatnonzero((judged.classes >= 0) & (judged.shares >= threshold)).tolist():
        name, share = classes.name(int(judged.classes[row])), round(float(judged.shares[row]), 4)
        distance = round(float(judged.distances[row]), 4)
        windows.append(Annotation(path, starts[row], starts[row] + window, name, share, *band, distance))
    return events(windows)
