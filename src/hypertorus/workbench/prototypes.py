"""Prototypes: circular means of the yeses, in several groups where they fall apart, against that of the nos."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.codes.clusters import settled_means
from hypertorus.workbench.examples import Examples, Floats
from hypertorus.workbench.left_out import folds

MOST_GROUPS = 3
BACKGROUND_WEIGHT = 3.0
"""The mean of all codes counts as so many nos, so that there is an opposite before the first one."""
NO_SHARE = 0.3
"""How much the mean of the nos counts against that of the yeses: nos that were looked for lie near the yeses."""


class Means(NamedTuple):
    """Vectors [groups, 2 dim] and [1, 2 dim] whose products with a point say how near it is to yeses and nos."""

    yes: Floats
    no: Floats

    @property
    def offsets(self) -> Floats:
        """What is added to the products, [groups + 1]: nearest is by Euclidean distance to the means."""
        return np.append(-(self.yes * self.yes).sum(axis=1) / 2, 0.0)

    def scores(self, points: Floats) -> Floats:
        """Return how near each point is to the nearest mean of yeses, less its product with the mean of the nos."""
        products = points @ np.concatenate([self.yes, self.no]).T + self.offsets
        return np.asarray(products[:, :-1].max(axis=1) - products[:, -1])


def fit_means(points: Floats, yes: npt.NDArray[np.bool_], background: Floats, groups: int) -> Means:
    """Return the means of points [n, 2 dim]; `background` [2 dim] is the mean of the whole index."""
    nos = points[~yes]
    no = (nos.sum(axis=0) + BACKGROUND_WEIGHT * background) / (len(nos) + BACKGROUND_WEIGHT)
    return Means(_grouped(points[yes], groups), NO_SHARE * no[None])


def left_out_scores(examples: Examples, points: Floats, background: Floats, groups: int) -> Floats:
    """Return the score of each example by the means of other recordings."""
    scores = np.full(len(examples), -np.inf)
    for fold in folds(examples.recordings, examples.yes):
        others = np.ones(len(examples), bool)
        others[fold] = False
        if examples.yes[others].any():
            means = fit_means(points[others], examples.yes[others], background, groups)
            scores[fold] = means.scores(points[fold])
    return scores


def _grouped(points: Floats, groups: int) -> Floats:
    """Return the means of at most so many groups, as in k-means, begun at points that are far from each other."""
    means = points.mean(axis=0, keepdims=True)
    if groups == 1 or len(points) <= groups:
        return means if groups == 1 else points
    first = int((points @ means[0]).argmin())
    chosen = [first]
    while len(chosen) < groups:
        chosen.append(int((points @ points[chosen].T).max(axis=1).argmin()))
    return settled_means(points, points[chosen])
