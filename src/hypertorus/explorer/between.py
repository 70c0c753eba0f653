"""Estimates of any threshold, from those at the edges of bands of scores."""

from __future__ import annotations

import numpy as np

from hypertorus.workbench import Estimate
from hypertorus.workbench.classifier import Scores
from hypertorus.workbench.estimate import Interval


def estimate_at(threshold: int, scores: Scores, edges: list[Estimate]) -> Estimate:
    """Return the estimate of a threshold, which lies between those of the edges below and above it.

    Recall falls from the one to the other, so its interval goes from the lowest value above to the highest below, and
    that of precision is as wide as both. Yeses are taken to be evenly spread within a band. At an edge the estimate is
    that of the edge.

    >>> low, high = Interval(0.5, 0.4, 0.6), Interval(0.9, 0.8, 1.0)
    >>> edges = [Estimate(0, 4, low, Interval(1, 1, 1)), Estimate(10, 2, high, Interval(0.9, 0.7, 1))]
    >>> found = estimate_at(5, np.array([0, 4, 6, 10, 12][1:], np.int32), edges)
    >>> found.above, found.precision.low, found.precision.high, found.recall.low, found.recall.high
    (3, 0.4, 1.0, 0.7, 1)
    """
    above = int((scores >= threshold).sum())
    below = next((each for each in reversed(edges) if each.threshold <= threshold), edges[0])
    after = next((each for each in edges if each.threshold > threshold), None)
    if after is None:  # above the last edge there may be nothing, which is precise and finds nothing
        after = Estimate(threshold, 0, Interval(1.0, 1.0, 1.0), Interval(0.0, 0.0, 0.0))
    if above in (below.above, after.above):
        return (below if above == below.above else after)._replace(threshold=threshold)
    precision, recall, least = after.precision, after.recall, after.above
    share = (above - least) / (below.above - least)
    yes = share * below.precision.value * below.above + (1 - share) * precision.value * least
    return Estimate(
        threshold,
        above,
        _interval(yes / above, min(below.precision.low, precision.low), max(below.precision.high, precision.high)),
        _interval(recall.value + share * (below.recall.value - recall.value), recall.low, below.recall.high),
    )


def _interval(value: float, low: float, high: float) -> Interval:
    return Interval(float(np.clip(value, low, high)), low, high)
