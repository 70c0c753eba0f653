"""Precision and recall of every threshold, estimated from a random sample of each band of scores, with an interval.

Scores are cut into bands, of which each has twice as many items as the one above it: where a class is rare, most of it
is in the small bands at the top. In each band a person answers a random sample. What the classifier was learnt from is
known and is no sample; of the others in a band, n were answered and k are yes.

How many of those that were not asked are yes is bounded as by Clopper and Pearson, who hold for any share: from above
by a binomial number with a share from Beta(k + 1, n - k), from below with one from Beta(k, n - k + 1). As sampling is
without replacement, these are exact: the quantiles of the two are the limits of the hypergeometric test. Of a band
without a yes, the bands above that have none either, up to the first with one, count as part of its sample: where
scores are lower, the share of yes is taken to be no larger. Walking up until the first yes keeps the limit valid.

Bounds of a sum over bands, and of recall, are quantiles of sums of 4,000 such draws, with bounds from below where more
yeses mean more and from above where they mean less (melded confidence intervals: Fay, Proschan and Brittain, 2015).
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
    """An estimate, and bounds that hold the truth in at least 95 of 100 samples."""

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

    def __init__(self, scores: Scores, items: Items, classifier: Classifier, cut: int | None = None) -> None:
        self.scores, self.items, self._classifier = scores, items, classifier
        self.edges = band_edges(scores)
        if cut is not None and self.edges[0] < cut <= scores.max():
            self.edges = np.union1d(self.edges, [cut])
        self._band = np.searchsorted(self.edges, scores, side="right") - 1
        learnt = items.rows(classifier.examples.keys)
        self._learnt = dict(zip(learnt.tolist(), classifier.examples.yes.tolist(), strict=False))
        self._learnt.pop(-1, None)

    def __len__(self) -> int:
        return len(self.edges)

    def ask_more(self, answers: Mapping[str, str], per_band: int = 10) -> list[int]:
        """Return what `ask` does or, once all of that is answered, the same for twice as many in each band, and so on.

        Nothing is left only when every item is answered.
        """
        largest = max(map(len, self._samples))
        while not (rows := self.ask(answers, per_band)) and per_band < largest:
            per_band *= 2
        return rows

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

    def estimate(self, threshold: int, answers: Mapping[str, str]) -> Estimate:
        """Return precision and recall for any threshold.

        The band that it lies in is cut there, and what is known of it with it: of a random sample of the band, those on
        either side are a random sample of that side.
        """
        if threshold > self.scores.max():  # nothing, which is precise and finds nothing
            return Estimate(threshold, 0, Interval(1.0, 1.0, 1.0), Interval(0.0, 0.0, 0.0))
        edges = Bands(self.scores, self.items, self._classifier, threshold).estimates(answers)
        return next(each for each in edges if each.threshold >= threshold)._replace(threshold=threshold)

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
    value, least, most = _counts(bands, np.random.default_rng(seed))
    made = []
    for first, band in enumerate(bands):
        above = sum(one.items for one in bands[first:])
        found, missed = value[first:].sum(), value[:first].sum()
        few, many = least[first:].sum(axis=0), most[first:].sum(axis=0)
        precision = _interval(found / above, few / above, many / above)
        low, high = _share(few, most[:first].sum(axis=0)), _share(many, least[:first].sum(axis=0))
        # Where no yes was seen, nothing speaks for any recall but that all there are lie above the lowest score.
        recall = found / (found + missed) if found + missed else float(first == 0)
        made.append(Estimate(band.low, above, precision, _interval(recall, low, high)))
    return made


Draws = npt.NDArray[np.float64]


def _counts(bands: list[Band], rng: np.random.Generator) -> tuple[Draws, Draws, Draws]:
    """Return the likeliest number of yeses in each band [bands], and draws of its bounds from below and from above.

    Without a sample, in this band or in those above it since the last with a yes, it is half of what is unseen, between
    nothing and all of it. The draws are [bands, draws].
    """
    value, least, most = np.empty(len(bands)), np.empty((len(bands), _DRAWS)), np.empty((len(bands), _DRAWS))
    nos = 0  # of the sample of this band and of those above it, since the last with a yes
    for number, band in reversed(list(enumerate(bands))):
        yes, certain, unseen = band.sampled_yes, band.known_yes + band.sampled_yes, _unseen(band)
        nos = band.sampled - yes + (0 if yes else nos)
        value[number] = certain + unseen * (yes / band.sampled if band.sampled else 0.0 if nos else 0.5)
        most[number] = certain + rng.binomial(unseen, rng.beta(yes + 1, nos, _DRAWS) if nos else 1.0, _DRAWS)
        least[number] = certain + rng.binomial(
            unseen, rng.beta(yes, band.sampled - yes + 1, _DRAWS) if yes else 0.0, _DRAWS
        )
        nos = 0 if yes else nos
    return value, least, most


def _unseen(band: Band) -> int:
    return band.items - band.known - band.sampled


def _share(found: Draws, missed: Draws) -> Draws:
    """Return the recall, which is 1 where nothing is found because there is nothing."""
    return np.divide(found, found + missed, out=np.ones_like(found), where=found + missed > 0)


def _interval(value: float, least: Draws, most: Draws) -> Interval:
    low, high = np.quantile(least, _EDGES[0]), np.quantile(most, _EDGES[1])
    return Interval(float(value), float(min(low, value)), float(max(high, value)))
