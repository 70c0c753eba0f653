"""Intervals of any threshold hold the truth."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from hypertorus import Index
from hypertorus.explorer.between import estimate_at
from hypertorus.workbench import Bands, Items
from hypertorus.workbench.examples import Examples

NOTHING = SimpleNamespace(examples=Examples(np.zeros((0, 1), np.uint8), 8, np.zeros(0, bool), np.zeros(0, int)))
THRESHOLDS = (0, 700, 1500, 2000, 2500, 3100)


@pytest.fixture(scope="module")
def trials():
    """Truth, scores, and estimates from 15 answers a band, of many collections of which a twentieth is of the class."""
    made = []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        truth = rng.random(2000) < 0.05
        scores = np.rint(1000 * (rng.normal(size=2000) + 2.5 * truth)).astype(np.int32)
        index = Index(1)
        index.add(np.zeros((2000, 1), int), names=[f"{seed}-{number}.wav" for number in range(2000)])
        items = Items.of(index)
        bands = Bands(scores, items, NOTHING)
        answers = {items.key(row): "yes" if truth[row] else "no" for row in bands.ask({}, 15)}
        made.append((truth, scores, bands.estimates(answers)))
    return made


def test_any_threshold_has_an_estimate_that_holds_the_truth(trials):
    held = {"precision": [], "recall": []}
    for truth, scores, edges in trials:
        for threshold in THRESHOLDS:
            above = scores >= threshold
            estimate = estimate_at(threshold, scores, edges)
            assert estimate.above == above.sum()
            assert estimate.precision.low <= estimate.precision.value <= estimate.precision.high
            assert estimate.recall.low <= estimate.recall.value <= estimate.recall.high
            precision, recall = truth[above].mean(), truth[above].sum() / truth.sum()
            held["precision"].append(estimate.precision.low <= precision <= estimate.precision.high)
            held["recall"].append(estimate.recall.low <= recall <= estimate.recall.high)
    assert np.mean(held["precision"]) > 0.95
    assert np.mean(held["recall"]) > 0.9


def test_at_an_edge_the_estimate_is_that_of_the_edge(trials):
    _, scores, edges = trials[0]
    for edge in edges:
        assert estimate_at(edge.threshold, scores, edges) == edge
    assert estimate_at(-(10**6), scores, edges).above == 2000


def test_recall_never_rises_with_the_threshold(trials):
    for _, scores, edges in trials:
        values = [estimate_at(threshold, scores, edges).recall.value for threshold in range(-3000, 5000, 100)]
        assert all(one >= other - 1e-9 for one, other in pairwise(values))
