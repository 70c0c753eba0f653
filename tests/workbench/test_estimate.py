"""Intervals of precision and recall hold the truth as often as they say, and samples are random."""

from types import SimpleNamespace

import numpy as np
import pytest

from hypertorus.search import Index
from hypertorus.workbench import Bands, Items
from hypertorus.workbench.examples import Examples

NOTHING = SimpleNamespace(examples=Examples(np.zeros((0, 1), np.uint8), 8, np.zeros(0, bool), np.zeros(0, int)))


def population(seed, n=2000):
    """Scores and truth of n items: the higher the score, the likelier."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.05
    scores = np.rint(1000 * (rng.normal(size=n) + 2.5 * truth)).astype(np.int32)
    index = Index(1)
    index.add(np.zeros((n, 1), int), names=[f"{seed}-{number}.wav" for number in range(n)])
    return scores, truth, Items.of(index)


def test_intervals_hold_the_truth_as_often_as_they_say():
    held = []
    for seed in range(25):
        scores, truth, items = population(seed)
        bands = Bands(scores, items, NOTHING)
        rows = bands.ask({}, 15)
        answers = {items.key(row): "yes" if truth[row] else "no" for row in rows}
        for estimate in bands.estimates(answers)[1:]:
            above = scores >= estimate.threshold
            assert above.sum() == estimate.above
            precision, recall = truth[above].mean(), truth[above].sum() / truth.sum()
            held.append(estimate.precision.low <= precision <= estimate.precision.high)
            held.append(estimate.recall.low <= recall <= estimate.recall.high)
    assert 0.9 < np.mean(held) <= 1


def test_what_is_answered_in_full_is_known():
    scores, truth, items = population(0, n=300)
    answers = {items.key(row): "yes" if truth[row] else "no" for row in range(300)}
    for estimate in Bands(scores, items, NOTHING).estimates(answers):
        above = scores >= estimate.threshold
        assert estimate.precision == pytest.approx((truth[above].mean(),) * 3)
        assert estimate.recall == pytest.approx((truth[above].sum() / truth.sum(),) * 3)


def test_what_was_learnt_from_and_what_was_chosen_is_no_sample():
    scores, truth, items = population(1, n=400)
    best = np.argsort(-scores)[:20]
    keys = tuple(items.key(row) for row in best)
    learnt = Examples(np.zeros((20, 1), np.uint8), 8, truth[best], np.arange(20), keys)
    bands = Bands(scores, items, SimpleNamespace(examples=learnt))
    answers = dict.fromkeys(keys, "yes")
    top = bands.bands(answers)[-1]
    assert (top.known, top.known_yes, top.sampled) == (20, truth[best].sum(), 0)
    assert not set(bands.ask(answers, 5)) & set(best.tolist())
    chosen = bands._sample(0)[3]  # not the first of the random order, so that it is no random one
    answers[items.key(chosen)] = "no"
    assert bands.bands(answers)[0].sampled == 0
    answers |= {items.key(row): "unsure" if number else "no" for number, row in enumerate(bands._sample(0)[:3])}
    assert bands.bands(answers)[0].sampled == 2
    assert bands.ask(answers, 4) == [row for row in bands.ask({}, 4) if items.key(row) not in answers]
