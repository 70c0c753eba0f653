"""Leave-one-recording-out: how well examples are told apart by what was learnt from other recordings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

MOST_FOLDS = 20
"""Recordings beyond this number are left out several at a time."""


class Skill(NamedTuple):
    """How well yes and no of recordings that were left out are told apart."""

    average_precision: float
    auc: float
    """Share of pairs of a yes and a no in which the yes has the higher score."""


def folds(recordings: npt.NDArray[np.int64], yes: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.int64]]:
    """Return the rows that are left out together: those of a recording, or of several if there are many.

    Recordings with a yes are spread over the folds first, so that no fold has most of them.

    >>> [fold.tolist() for fold in folds(np.array([5, 5, 2]), np.array([True, True, False]))]
    [[0, 1], [2]]
    """
    names, numbers = np.unique(recordings, return_inverse=True)
    has_yes = np.zeros(len(names), bool)
    has_yes[numbers[yes]] = True
    order = np.argsort(~has_yes, kind="stable")
    fold = np.empty(len(names), np.int64)
    fold[order] = np.arange(len(names)) % MOST_FOLDS
    return [np.flatnonzero(fold[numbers] == number) for number in range(min(len(names), MOST_FOLDS))]


def can_be_measured(recordings: npt.NDArray[np.int64], yes: npt.NDArray[np.bool_]) -> bool:
    """Return whether there is a no, and still a yes after any recording is left out."""
    return bool(yes.any() and not yes.all() and len(np.unique(recordings[yes])) > 1)


def skill_of(scores: npt.NDArray[np.float64], yes: npt.NDArray[np.bool_]) -> Skill:
    """Return the average precision and the area under the curve; of equal scores, a no counts as the higher.

    >>> skill_of(np.array([3.0, 2.0, 1.0]), np.array([True, False, True]))
    Skill(average_precision=0.8333333333333333, auc=0.5)
    """
    ordered = yes[np.lexsort((yes, -scores))]
    precision = np.cumsum(ordered) / np.arange(1, len(ordered) + 1)
    below = np.cumsum(~ordered[::-1])[::-1]  # how many nos are ranked below each place
    return Skill(float(precision[ordered].mean()), float(below[ordered].mean() / (~ordered).sum()))
