"""What codes cost in precision: the best code of each size in each space, from the paper's runs on digits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hypertorus.paper.experiments.experiment import Experiment
from hypertorus.paper.experiments.grid import SOFT
from hypertorus.paper.figures.images import usual_rows
from hypertorus.paper.figures.storage import best_codes

ORDER = (SOFT, "sphere", "torusN", "torusC")
"""The spaces in the order of the page: first what this library trains by default."""


@dataclass(frozen=True)
class Curve:
    """The precision of one space by the bytes of a vector, as means over seeds."""

    space: str
    sizes: dict[float, float]
    """Precision at 1 of the best code of at most so many bytes."""
    floats: float
    """Precision at 1 of the largest embeddings as floats."""
    floats_bytes: float


def precision_curves(images: Experiment) -> list[Curve]:
    """Return the curve of each space that has runs."""
    rows, curves = usual_rows(images), []
    for space in ORDER:
        own = [row for row in rows if row["space"] == space]
        floats = [row for row in own if row["quantiser"] == "none"]
        if floats:
            size = max(row["bits_per_vector"] for row in floats)
            widest = [row["precision_at_1"] for row in floats if row["bits_per_vector"] == size]
            curves.append(Curve(space, best_codes(own), float(np.mean(widest)), size / 8))
    return curves
