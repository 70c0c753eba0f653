"""Scores of learned words in whole numbers, as `hypertorus_words.h` counts them.

The score of a word is 2 (d(word) - spread(word)) - d(nearest other word), with d the distance of codes and the spread
that of the word's own examples: the lower it is, the surer it is that a code is this word and no other. Some speakers
say a word less alike each time than others do, and one threshold serves them all because their spreads differ.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.codes.circular_mean import Arrows, arrows
from hypertorus.codes.protocol import Codes
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


class WordScores(NamedTuple):
    """What codes are, and how sure that is."""

    nearest: npt.NDArray[np.int64]
    """The nearest word of each code [n], of equals the first."""
    scores: Scores
    """The score of every word for every code [n, m]."""


def word_scores(
    codes: Any,
    words: Any,
    likeness: npt.ArrayLike,
    background: Any = None,
    metric: str = "cosine",
    groups: npt.ArrayLike | None = None,
) -> WordScores:
    """Return the nearest of words [m, dim] to each code [n, dim], and all scores.

    `likeness` [m] is how alike the examples of each word are, as `likeness_of` has it. Those of one group of `groups`
    [m] are one word that is said in several ways, of which the nearest counts. The others of a word are the other words
    and the codes of the `background` [b, dim], which are never answers. Where a word has no other, random codes take
    their place: a quarter of a turn for each coordinate.

    >>> words = np.array([[0, 0], [64, 64]], np.uint8)
    >>> word_scores(np.array([[10, 0]], np.uint8), words, [256, 256], metric="l1")
    WordScores(nearest=array([0]), scores=array([[-98, 226]]))
    >>> word_scores(np.array([[10, 0]], np.uint8), words, [240, 128], metric="l1").scores
    array([[-114,   98]])
    >>> word_scores(np.array([[10, 0]], np.uint8), words, [256, 256], metric="l1", groups=["up", "up"]).scores
    array([[-108, -108]])
    """
    away = distances(codes, words, check_metric(metric)).astype(np.int64)
    n, m = away.shape
    if m == 0:
        raise ValueError("there are no words; learn at least one.")
    numbers = np.arange(m) if groups is None else np.unique(groups, return_inverse=True)[1]
    ways = [np.flatnonzero(numbers == number) for number in range(numbers.max() + 1)]
    places = np.stack([way[away[:, way].argmin(axis=1)] for way in ways], axis=1)
    closest = np.take_along_axis(away, places, axis=1)
    others = np.full((n, 1), NO_WORD)
    if background is not None and len(background):
        others = distances(codes, background, metric).min(axis=1, keepdims=True).astype(np.int64)
    if len(ways) > 1:
        first, second = np.partition(closest, 1, axis=1)[:, :2].T
        others = np.minimum(others, np.where(closest == first[:, None], second[:, None], first[:, None]))
    quarter = METRICS[metric]
    spreads = words.shape[1] * (256 - np.asarray(likeness, np.int64)) << quarter >> 8
    chance = words.shape[1] << quarter
    scores = 2 * (closest - spreads[places]) - np.where(others == NO_WORD, chance, others)
    return WordScores(away.argmin(axis=1), scores[:, numbers])


def likeness_of(code: Codes, sums: Arrows, examples: int) -> npt.NDArray[np.int64]:
    """Return how alike examples are whose arrows have these sums [..., dim, 2] along their mean code [..., dim].

    It is 256 times the mean length of the mean of their arrows, at most 255: a byte in the record of a word.

    >>> examples = np.array([[10, 20], [10, 84]], np.uint8)
    >>> int(likeness_of(np.array([10, 52]), arrows(examples, 8).sum(axis=0), 2))  # the mean of 1 and 0.71
    218
    """
    # Lengths are in 128ths of an arrow, which is what fits 32 bits on the chip.
    lengths = ((arrows(code, 8) * (sums >> 7)).sum(axis=-1) + 8192) >> 14
    return np.minimum(255, 2 * lengths.sum(axis=-1) // (examples * code.shape[-1]))
