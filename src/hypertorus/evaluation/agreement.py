"""The cost of quantisation in rank: whether codes have the same nearest neighbours as floats, in the same order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int64]


def neighbour_recall(neighbours: Positions, exact: Positions) -> float:
    """Return the share of the exact neighbours [n, k] that are among these neighbours [n, k].

    >>> neighbour_recall(np.array([[1, 2, 3]]), np.array([[3, 4, 1]]))
    0.6666666666666666
    """
    return float(np.mean([(neighbours == one[:, None]).any(axis=1).mean() for one in exact.T]))


def rank_agreement(neighbours: Positions, exact: Positions) -> float:
    """Return Kendall's tau between the orders of the neighbours that both lists share, averaged; 1 is the same order.

    >>> rank_agreement(np.array([[1, 2, 3]]), np.array([[1, 2, 3]]))
    1.0
    >>> rank_agreement(np.array([[1, 2, 3]]), np.array([[3, 2, 1]]))
    -1.0
    """
    taus = []
    for own, other in zip(neighbours, exact, strict=True):
        place = {position: rank for rank, position in enumerate(own.tolist())}
        ranks = np.array([place[position] for position in other.tolist() if position in place])
        pairs = len(ranks) * (len(ranks) - 1) / 2
        if pairs:
            later = np.triu(np.sign(ranks[None, :] - ranks[:, None]), 1)
            taus.append(later.sum() / pairs)
    return float(np.mean(taus)) if taus else float("nan")
