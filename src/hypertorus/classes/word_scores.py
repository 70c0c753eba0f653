"""Scores of learned words in whole numbers, as `hypertorus_words.h` counts them.

The score of a word is 2 d(word) - d(nearest other word), with d the distance of codes: the lower it is, the surer it is
that a code is this word and no other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.search import distances

Scores = npt.NDArray[np.int64]
METRICS = {"cosine": 14, "l1": 6}
"""Metrics of words, with the distance of a quarter of a turn as a power of two: what random codes have on average."""
NO_WORD = 2**31 - 1
"""Score where there is no word, which no threshold accepts."""


def check_metric(metric: str) -> str:
    if metric not in METRICS:
        raise ValueError(f"metric is {metric!r}; scores of words are by {' or '.join(METRICS)}.")
    return metric


def word_scores(codes: Any, words: Any, background: Any = None, metric: str = "cosine") -> Scores:
    """Return the score of every word [m, dim] for every code [n, dim], as [n, m].

    The others of a word are the other words and the codes of the `background` [b, dim], which are never answers. Where
    a word has no other, random codes take their place: a quarter of a turn for each coordinate.

    >>> words = np.array([[0, 0], [64, 64]], np.uint8)
    >>> word_scores(np.array([[10, 0]], np.uint8), words, metric="l1")
    array([[-98, 226]])
    """
    chance = words.shape[1] << METRICS[check_metric(metric)]
    return scores_of(
        distances(codes, words, metric).astype(np.int64),
        None if background is None or len(background) == 0 else distances(codes, background, metric),
        chance,
    )


def scores_of(away: Scores, background: npt.NDArray[Any] | None, chance: int) -> Scores:
    """Return the scores [n, m] by the distances [n, m] to the words and [n, b] to the background."""
    n, m = away.shape
    limits = np.full(n, NO_WORD) if background is None else background.min(axis=1).astype(np.int64)
    if m == 0:
        return np.empty((n, 0), np.int64)
    if m == 1:
        others = limits[:, None]
    else:
        first, second = np.partition(away, 1, axis=1)[:, :2].T
        nearest = np.where(away == first[:, None], second[:, None], first[:, None])
        others = np.minimum(nearest, limits[:, None])
    return 2 * away - np.where(others == NO_WORD, chance, others)
