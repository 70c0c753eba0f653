"""How good neighbours are: what share of them has the query's label."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Hits = npt.NDArray[np.bool_]


def hits(neighbours: npt.NDArray[np.int64], labels: npt.NDArray[Any], queries: npt.NDArray[Any]) -> Hits:
    """Which neighbours [n, k], positions in `labels`, have the label of their query [n]."""
    return labels[neighbours] == queries[:, None]


def precision_at(found: Hits, k: int) -> float:
    """The share of the first k neighbours that are hits, over all queries; at k = 1 the paper's measure.

    >>> precision_at(np.array([[True, False], [True, True]]), k=2)
    0.75
    """
    return float(found[:, :k].mean())


def recall_at(found: Hits, relevant: npt.NDArray[np.int64], k: int) -> float:
    """The share of each query's relevant items that are among its first k neighbours, averaged over queries.

    >>> recall_at(np.array([[True, False], [True, True]]), relevant=np.array([4, 2]), k=2)
    0.625
    """
    return float((found[:, :k].sum(axis=1) / np.maximum(relevant, 1)).mean())


def r_precision(found: Hits, relevant: npt.NDArray[np.int64]) -> float:
    """Precision among as many neighbours as there are relevant items, averaged over queries.

    >>> r_precision(np.array([[True, False], [True, True]]), relevant=np.array([2, 1]))
    0.75
    """
    return float((_within(found, relevant).sum(axis=1) / np.maximum(relevant, 1)).mean())


def map_at_r(found: Hits, relevant: npt.NDArray[np.int64]) -> float:
    """Mean average precision among as many neighbours as there are relevant items (Musgrave and others, 2020).

    >>> map_at_r(np.array([[True, False], [False, True]]), relevant=np.array([2, 2]))
    0.375
    """
    within = _within(found, relevant)
    precision = np.cumsum(within, axis=1) / np.arange(1, found.shape[1] + 1)
    return float(((precision * within).sum(axis=1) / np.maximum(relevant, 1)).mean())


def _within(found: Hits, relevant: npt.NDArray[np.int64]) -> Hits:
    if found.shape[1] < relevant.max():
        raise ValueError(f"{found.shape[1]} neighbours are too few; the largest class needs {relevant.max()}.")
    return found & (np.arange(found.shape[1]) < relevant[:, None])
