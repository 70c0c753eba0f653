"""Groups of examples: a class whose examples fall apart, such as song and call, has a mean for each group."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hypertorus.classes.means import UNIT, Means
from hypertorus.codes.circular_mean import arrows
from hypertorus.codes.clusters import nearest_mean, settled_means
from hypertorus.codes.protocol import Codes
from hypertorus.search import distances

APART = 2.0
"""Ratio of the distances between two groups to those within them from which on they are two: then their centres are as
far from each other as their examples usually are."""
MOST = 500
"""Number of examples, evenly spaced, by which a larger class is divided; pairs cost time quadratically."""
Points = npt.NDArray[np.float64]


def groups_of(codes: Codes, bits: int) -> npt.NDArray[np.int64]:
    """Return the number of the group of each code [n, width]; a group has at least two examples, unless n is 1.

    >>> groups_of(np.array([[0, 0], [9, 2], [128, 120], [120, 128], [5, 5]], np.uint8), bits=8)
    array([0, 0, 1, 1, 0])
    """
    some = np.unique(np.linspace(0, len(codes) - 1, min(MOST, len(codes))).astype(np.int64))
    few = codes[some]
    pairs, points = (
        distances(few, few, "cosine", bits).astype(np.float64),
        arrows(few, bits).reshape(len(few), -1) / UNIT,
    )
    parts = _divided(np.arange(len(few)), pairs, points)
    numbers = np.empty(len(few), np.int64)
    for number, part in enumerate(sorted(parts, key=lambda part: int(part[0]))):
        numbers[part] = number
    if len(few) == len(codes):
        return numbers
    nearest = Means.of(few, numbers, bits).distances(codes, bits).argmin(axis=1)
    return np.unique(nearest, return_inverse=True)[1]


def _divided(rows: npt.NDArray[np.int64], pairs: npt.NDArray[np.float64], points: Points) -> list[np.ndarray]:
    """Return the rows in parts: halves, and halves of these, as long as they fall apart."""
    if len(rows) < 4:
        return [rows]
    second = _second_half(points[rows], pairs[np.ix_(rows, rows)])
    one, other = rows[~second], rows[second]
    if min(len(one), len(other)) < 2:
        return [rows]
    count = [len(part) * (len(part) - 1) for part in (one, other)]
    within = sum(pairs[np.ix_(part, part)].sum() for part in (one, other)) / sum(count)
    if pairs[np.ix_(one, other)].mean() <= APART * within:
        return [rows]
    return [part for half in (one, other) for part in _divided(half, pairs, points)]


def _second_half(points: Points, pairs: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return which points are in the second of two clusters, begun at the two that are farthest apart."""
    means = settled_means(points, points[list(np.unravel_index(pairs.argmax(), pairs.shape))])
    return nearest_mean(points, means) == 1
