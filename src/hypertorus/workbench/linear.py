"""A linear classifier on points of codes, by ridge regression, which becomes a table of integers for each coordinate.

Yeses are to score 1 and nos -1. Both count alike, however many there are, and so does a random sample of the index,
which is taken as nos: most of an archive is, and its spread says which directions tell anything.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.workbench.examples import Examples, Floats
from hypertorus.workbench.left_out import folds

PENALTIES = (0.003, 0.03, 0.3)
BACKGROUND_WEIGHT = 1.0
_NO_PENALTY = 1e-6


class Background(NamedTuple):
    """What is known of all codes, by a random sample: the mean of their points, and their mean product."""

    mean: Floats
    product: Floats
    """Mean of the outer products of points with a last 1, around `mean`: [2 dim + 1, 2 dim + 1]."""

    @classmethod
    def of(cls, points: Floats) -> Background:
        mean = points.mean(axis=0)
        centred = _extended(points, mean)
        return cls(mean, centred.T @ centred / len(points))


class Linear(NamedTuple):
    """Weights [2 dim] of points, what is added, and scores of the examples by what other recordings taught."""

    weights: Floats
    offset: float
    left_out: Floats


def fit_linear(examples: Examples, points: Floats, background: Background, penalty: float) -> Linear:
    """Return the ridge regression with this penalty; leaving recordings out is exact and takes no second fit."""
    rows, targets = _extended(points, background.mean), np.where(examples.yes, 1.0, -1.0)
    weights = _weights(examples.yes)
    normal = BACKGROUND_WEIGHT * background.product + (rows.T * weights) @ rows
    normal[np.diag_indices(len(normal))] += [*np.full(len(normal) - 1, penalty), _NO_PENALTY]
    # The sample has the target -1; around its mean, its points sum up to nothing but the last 1.
    right = rows.T @ (weights * targets) - BACKGROUND_WEIGHT * background.product[-1]
    solved = np.linalg.solve(normal, np.concatenate([right[:, None], rows.T], axis=1))
    answer, leverage = solved[:, 0], rows @ solved[:, 1:]
    residual = targets - rows @ answer
    left_out = np.empty(len(rows))
    for fold in folds(examples.recordings, examples.yes):
        own = np.eye(len(fold)) - leverage[np.ix_(fold, fold)] * weights[fold]
        left_out[fold] = targets[fold] - np.linalg.solve(own, residual[fold])
    return Linear(answer[:-1], float(answer[-1] - answer[:-1] @ background.mean), left_out)


def _weights(yes: npt.NDArray[np.bool_]) -> Floats:
    return np.where(yes, 1 / max(1, yes.sum()), 1 / max(1, (~yes).sum()))


def _extended(points: Floats, mean: Floats) -> Floats:
    return np.concatenate([points - mean, np.ones((len(points), 1))], axis=1)
