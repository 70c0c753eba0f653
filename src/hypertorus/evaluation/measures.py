"""Precision and recall of nearest neighbours, by the label of the query."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Hits = npt.NDArray[np.bool_]


def hits(neighbours: npt.NDArray[np.int64], labels: npt.NDArray[Any], queries: npt.NDArray[Any]) -> Hits:
    """Return which neighbours [n, k], positions in `labels`, have the label of their query [n]."""
    return labels[neighbours] == queries[:, None]


def precision_at(is_hit: Hits, k: int) -> float:
    """Return the share of the first k neighbours that are hits, over all queries; with k = 1 the paper's measure.

    >>> precision_at(np.array([[True, False], [True, True]]), k=2)
    0.75
    """
    return float(is_hit[:, :k].mean())


def recall_at(is_hit: Hits, relevant: npt.NDArray[np.int64], k: int) -> float:
    """Return the share of a query's relevant items that are among its first k neighbours, averaged over queries.

    >>> recall_at(np.array([[True, False], [True, True]]), relevant=np.array([4, 2]), k=2)
    0.625
    """
    return float((is_hit[:, :k].sum(axis=1) / np.maximum(relevant, 1)).mean())


def r_precision(is_hit: Hits, relevant: npt.NDArray[np.int64]) -> float:
    """Return the precision among as many neighbours as there are relevant items, averaged over queries.

    >>> r_precision(np.array([[True, False], [True, True]]), relevant=np.array([2, 1]))
    0.75
    """
    return float((_within(is_hit, relevant).sum(axis=1) / np.maximum(relevant, 1)).mean())


def map_at_r(is_hit: Hits, relevant: npt.NDArray[np.int64]) -> float:
    """Return the mean average precision at R, the number of relevant items (Musgrave and others, 2020).

    >>> map_at_r(np.array([[True, False], [False, True]]), relevant=np.array([2, 2]))
    0.375
    """
    within = _within(is_hit, relevant)
    precision = np.cumsum(within, axis=1) / np.arange(1, is_hit.shape[1] + 1)
    return float(((precision * within).sum(axis=1) / np.maximum(relevant, 1)).mean())


def _within(is_hit: Hits, relevant: npt.NDArray[np.int64]) -> Hits:
    if is_hit.shape[1] < relevant.max():
        raise ValueError(
            f"{is_hit.shape[1]} neighbours are too few; the largest class needs {relevant.max()}, so pass as many."
        )
    return is_hit & (np.arange(is_hit.shape[1]) < relevant[:, None])
