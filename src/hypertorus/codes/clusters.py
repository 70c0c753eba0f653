"""Clusters as by k-means: rows go to their nearest centre and centres to their rows, in turns, until nothing moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

ROUNDS = 20
"""Number of turns, at most."""

Array = npt.NDArray[Any]
Members = npt.NDArray[np.int64]


def settled(
    starts: Array, nearest: Callable[[Array], Members], centre: Callable[[npt.NDArray[np.bool_]], Array]
) -> Array:
    """Return the centres [k, ...] that `starts` move to; one that is nearest to no row is left out.

    `nearest` returns the number of the centre that is nearest to each row, by any distance, and `centre` that of the
    rows of a mask.
    """
    centres, before = starts, None
    for _ in range(ROUNDS):
        members = nearest(centres)
        if before is not None and np.array_equal(members, before):
            break
        numbers, before = np.unique(members, return_inverse=True)
        centres = np.stack([centre(before == number) for number in range(len(numbers))])
    return centres


def settled_means(points: Array, starts: Array) -> Array:
    """Return the means of clusters of points [n, width] by Euclidean distance, from starts [k, width].

    >>> settled_means(np.array([[0.0], [1.0], [8.0]]), np.array([[0.0], [1.0]])).tolist()
    [[0.5], [8.0]]
    """
    return settled(starts, lambda means: nearest_mean(points, means), lambda own: points[own].mean(axis=0))


def nearest_mean(points: Array, means: Array) -> Members:
    """Return the number of the mean that is nearest to each point by Euclidean distance; of equals, the first."""
    return (points @ means.T - (means * means).sum(axis=1) / 2).argmax(axis=1)
