"""Precision and recall of every threshold, estimated from a random sample of each band of scores, with an interval.

Scores are cut into bands, of which each has twice as many items as the one above it: where a class is rare, most of it
is in the small bands at the top. In each band a person answers a random sample. What the classifier was learnt from is
known and is no sample; of the others in a band, n were answered and k are yes. The share of yes has the distribution
Beta(k + 1/2, n - k + 1/2) (Jeffreys), and of those that were not asked a binomial number is yes. Sums of such draws
over the bands, 4,000 times, give the interval of 95 %.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.workbench.classifier import Classifier, Scores
from hypertorus.workbench.items import Items, Rows

SMALLEST_BAND = 32
_DRAWS = 4000
_EDGES = (0.025, 0.975)


class Interval(NamedTuple):
    """An estimate, and the bounds within which it lies with a probability of 95 %."""

    value: float
    low: float
    high: float


class Band(NamedTuple):
    """Items with scores from `low` to below `high`, and what is known of them."""

    low: int
    high: int
    items: int
    known_yes: int
    """Yeses among the items that the classifier was learnt from."""
    known: int
    sampled: int
    """Random other items that were answered with yes or no."""
    sampled_yes: int


class Estimate(NamedTuple):
    """What a threshold gives: scores from `threshold` on are taken for the class."""

    threshold: int
    above: int
    """Number of items that are taken for the class."""
    precision: Interval
    recall: Interval


class Bands:
    """Bands of the scores of all items, the samples to ask about, and the estimates from what was answered."""

    def __init__(self, scores: Scores, items: Items, classifier: Classifier) -> None:
        self.scores, self.items = scores, items
        self.edges = band_edges(scores)
        self._band = np.searchsorted(self.edges, scores, side="right") - 1
        learnt = items.rows(classifier.examples.keys)
        self._learnt = dict(zip(learnt.tolist(), classifier.examples.yes.tolist(), strict=False))
        self._learnt.pop(-1, None)

    def __len__(self) -> int:
        return len(self.edges)

    def ask(self, answers: Mapping[str, str], per_band: int = 10) -> list[int]:
        """Return the rows that are still to be answered for a sample of so many in each band, in random order."""
        rows = [row for band in range(len(self)) for row in self._sample(band)[:per_band].tolist()]
        left = [row for row in rows if self.items.key(row) not in answers]
        return sorted(left, key=lambda row: int(self.items.ranks[row]))

    def bands(self, answers: Mapping[str, str]) -> list[Band]:
        """Return what is known of each band, the lowest scores first.

        A sample is as long as no item of the fixed random order was passed over; those that are unsure do not count.
        """
        known = np.zeros((len(self), 2), np.int64)
        for row, yes in self._learnt.items():
            known[self._band[row]] += (1, yes)
        sizes = np.bincount(self._band, minlength=len(self))
        highs = [*self.edges[1:].tolist(), int(self.scores.max(initial=0)) + 1]
        found = []
        for band, (low, high) in enumerate(zip(self.edges.tolist(), highs, strict=True)):
            said = self._said(band, answers)
            counts = int(sizes[band]), int(known[band, 1]), int(known[band, 0])
            found.append(Band(low, high, *counts, len(said), sum(said)))
        return found

    def estimates(self, answers: Mapping[str, str]) -> list[Estimate]:
        """Return precision and recall for a threshold at the lower edge of each band, the lowest first."""
        return estimates(self.bands(answers))

    def _sample(self, band: int) -> Rows:
        """Return the items of a band that nothing was learnt from, in the fixed random order."""
        return self._samples[band]

    @cached_property
    def _samples(self) -> list[Rows]:
        unknown = np.ones(len(self.scores), bool)
        unknown[list(self._learnt)] = False
        rows = np.flatnonzero(unknown)
        rows = rows[np.lexsort((self.items.ranks[rows], self._band[rows]))]
        return np.split(rows, np.searchsorted(self._band[rows], np.arange(1, len(self))))

    def _said(self, band: int, answers: Mapping[str, str]) -> list[bool]:
        said = []
        for row in self._sample(band).tolist():
            answer = answers.get(self.items.key(row))
            if answer is None:
                break
            if answer != "unsure":
                said.append(answer == "yes")
        return said


def band_edges(scores: Scores) -> npt.NDArray[np.int64]:
    """Return the lowest score of each band: half of all items, half of the others, and so on to the smallest band.

    >>> band_edges(np.arange(128, dtype=np.int32)).tolist()
    [0, 64, 96]
    """
    if len(scores) == 0:
        raise ValueError("there are no scores; an index that is to be estimated needs items.")
    ordered, left, edges = np.sort(scores), len(scores), [int(scores.min())]
    while left >= 2 * SMALLEST_BAND:
        left //= 2
        edges.append(int(ordered[len(scores) - left]))
    return np.unique(np.array(edges, np.int64))


def estimates(bands: list[Band], seed: int = 0) -> list[Estimate]:
    """Return precision and recall for a threshold at the lower edge of each band.

    >>> top, rest = Band(10, 20, 100, 0, 0, 50, 45), Band(0, 10, 900, 0, 0, 100, 2)
    >>> best = estimates([rest, top])[1]
    >>> best.above, round(best.precision.value, 2), round(best.recall.value, 2)
    (100, 0.9, 0.83)
    >>> best.recall.low < 0.7 and best.recall.high > 0.9
    True
    """
    rng = np.random.default_rng(seed)
    drawn, value = np.empty((len(bands), _DRAWS)), np.empty(len(bands))
    for number, band in enumerate(bands):
        certain, unseen = band.known_yes + band.sampled_yes, band.items - band.known - band.sampled
        share = rng.beta(band.sampled_yes + 0.5, band.sampled - band.sampled_yes + 0.5, _DRAWS)
        drawn[number] = certain + rng.binomial(unseen, share)
        # Without a sample nothing is known: half, which is the middle of an interval from nothing to all.
        value[number] = certain + unseen * (band.sampled_yes / band.sampled if band.sampled else 0.5)
    made = []
    for first, band in enumerate(bands):
        above = sum(one.items for one in bands[first:])
        precision = _interval(value[first:].sum() / above, drawn[first:].sum(axis=0) / above)
        total = np.maximum(drawn.sum(axis=0), 1e-9)
        recall = value[first:].sum() / value.sum() if value.sum() else 0.0
        made.append(Estimate(band.low, above, precision, _interval(recall, drawn[first:].sum(axis=0) / total)))
    return made


def _interval(value: float, draws: npt.NDArray[np.float64]) -> Interval:
    low, high = np.quantile(draws, _EDGES)
    return Interval(float(value), float(min(low, value)), float(max(high, value)))
