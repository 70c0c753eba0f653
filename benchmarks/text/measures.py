"""What the found texts are worth: measures of each query, their means, and intervals by the bootstrap over queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

RESAMPLES = 1000


def measures(found: npt.NDArray[np.int64], train: Any, test: Any, *, pairs: bool) -> dict[str, npt.NDArray[np.float64]]:
    """Return a value for each query, by the labels of training and test texts.

    Of classes: precision at 1, and recall@10, whether one of the ten nearest is of the class. Of pairs, which have one
    right text each, as in retrieval benchmarks: nDCG@10, recall@10 and recall@100.
    """
    right = np.asarray(train)[found] == np.asarray(test)[:, None]
    values = {"precision at 1": right[:, 0], "recall@10": right[:, :10].any(axis=1)}
    if pairs:
        gains = right[:, :10] / np.log2(np.arange(2, 12))
        values = {"nDCG@10": gains.sum(axis=1), "recall@10": values["recall@10"], "recall@100": right.any(axis=1)}
    return {name: np.asarray(value, np.float64) for name, value in values.items()}


def mean_measures(
    found: Sequence[npt.NDArray[np.int64]], train: Any, test: Any, *, pairs: bool
) -> dict[str, npt.NDArray[np.float64]]:
    """Return a value for each query: its mean over what several models found."""
    each = [measures(one, train, test, pairs=pairs) for one in found]
    return {name: np.mean([values[name] for values in each], axis=0) for name in each[0]}


def summary(values: dict[str, npt.NDArray[np.float64]]) -> dict[str, list[float]]:
    """Return the mean of each measure and the ends of its interval of 95 %."""
    return {name: [round(float(value.mean()), 4), *interval(value)] for name, value in values.items()}


def interval(values: npt.NDArray[np.float64]) -> list[float]:
    """Return the interval of 95 % of the mean over queries."""
    rng = np.random.default_rng(0)
    means = [values[rng.integers(len(values), size=len(values))].mean() for _ in range(RESAMPLES)]
    return [round(float(end), 4) for end in np.quantile(means, [0.025, 0.975])]
