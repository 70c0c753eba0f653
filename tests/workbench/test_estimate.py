"""Intervals of precision and recall hold the truth as often as they say, and samples are random."""

from types import SimpleNamespace

import numpy as np
import pytest

from hypertorus.search import Index
from hypertorus.workbench import Bands, Items
from hypertorus.workbench.estimate import Band, band_edges, estimates
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


def shares_of_yes(kind, n, positives, rng):
    """Scores of n items, of which the first ones are yes, as a good, a middling, a weak or a half-blind class gives."""
    scores, yes = rng.normal(size=n), np.arange(n) < positives
    if kind == "half unknown":  # half of the calls are of a kind that was never shown, so that they score as anything
        scores[: positives // 2] += 4
    else:
        scores[yes] += {"good": 4.0, "middling": 2.5, "weak": 1.2}[kind]
    return np.rint(1000 * scores).astype(np.int32), yes


CASES = [(2000, 100), (20_000, 20), (20_000, 200), (100_000, 100), (100_000, 5000)]
"""Numbers of items and of calls among them: from 0.1 % to 5 %."""


@pytest.mark.parametrize("kind", ["good", "middling", "weak", "half unknown"])
def test_intervals_of_precision_and_of_recall_hold_the_truth_as_often_as_they_say(kind):
    rng, widths = np.random.default_rng(7), []
    for n, positives in CASES:
        scores, yes = shares_of_yes(kind, n, positives, rng)
        edges = band_edges(scores)
        band = np.searchsorted(edges, scores, side="right") - 1
        sizes, calls = np.bincount(band), np.bincount(band, yes).astype(int)
        above, found = (np.cumsum(each[::-1])[::-1] for each in (sizes, calls))
        held = []
        for _ in range(25):
            sampled = rng.hypergeometric(calls, sizes - calls, 10)
            bands = [Band(0, 0, int(size), 0, 0, 10, int(hits)) for size, hits in zip(sizes, sampled, strict=True)]
            for number, made in enumerate(estimates(bands)[1:], start=1):
                truth = found[number] / above[number], found[number] / positives
                pairs = list(zip((made.precision, made.recall), truth, strict=True))
                held.append([one.low - 1e-9 <= true <= one.high + 1e-9 for one, true in pairs])
                widths.append([one.high - one.low for one, _ in pairs])
        assert (np.mean(held, axis=0) >= 0.95).all(), (n, positives)
    assert np.mean(widths, axis=0)[0] < 0.3, "precision is known"
    assert np.mean(widths, axis=0)[1] < 0.85, "recall is as uncertain as the large bands with nothing found leave it"


def test_bands_without_a_yes_are_a_sample_of_the_lowest_together():
    """A share of yes is no larger where scores are lower, so ten nos in each of six bands say more than ten alone."""
    empty = [Band(0, 1, 1000 * 2**number, 0, 0, 10, 0) for number in range(6)][::-1]
    top = Band(1, 2, 32, 0, 0, 10, 9)
    alone, together = (estimates([*rest, top])[0].precision.high for rest in (empty[:1], empty))
    assert alone > 0.25
    assert together < 0.1
    assert estimates([*empty, top])[-1].recall.high == 1  # since nothing was found below


def test_what_is_answered_in_full_is_known():
    scores, truth, items = population(0, n=300)
    answers = {items.key(row): "yes" if truth[row] else "no" for row in range(300)}
    for estimate in Bands(scores, items, NOTHING).estimates(answers):
        above = scores >= estimate.threshold
        assert estimate.precision == pytest.approx((truth[above].mean(),) * 3)
        assert estimate.recall == pytest.approx((truth[above].sum() / truth.sum(),) * 3)


def test_any_threshold_has_an_estimate_that_holds_the_truth():
    held = []
    for seed in range(12):
        scores, truth, items = population(seed)
        bands = Bands(scores, items, NOTHING)
        answers = {items.key(row): "yes" if truth[row] else "no" for row in bands.ask({}, 15)}
        for threshold in (-(10**6), 0, 700, 1500, 2000, 2500, 3100):
            above = scores >= threshold
            made = bands.estimate(threshold, answers)
            assert (made.threshold, made.above) == (threshold, above.sum())
            truths = truth[above].mean(), truth[above].sum() / truth.sum()
            pairs = list(zip((made.precision, made.recall), truths, strict=True))
            assert all(one.low <= one.value <= one.high for one, _ in pairs)
            held.append([one.low - 1e-9 <= true <= one.high + 1e-9 for one, true in pairs])
    for edge in bands.estimates(answers):
        assert bands.estimate(edge.threshold, answers) == edge
    assert bands.estimate(scores.max() + 1, answers).above == 0
    assert (np.mean(held, axis=0) > 0.95).all()


def test_what_is_known_counts_on_the_side_of_the_threshold_where_it_is():
    scores, truth, items = np.arange(128, dtype=np.int32), np.arange(128) >= 117, population(3, n=128)[2]
    known = np.arange(108, 128)  # 9 nos below and 11 yeses above a threshold within the uppermost band
    learnt = Examples(np.zeros((20, 1), np.uint8), 8, truth[known], np.arange(20), tuple(map(items.key, known)))
    bands = Bands(scores, items, SimpleNamespace(examples=learnt))
    answers = {items.key(row): "yes" if truth[row] else "no" for row in [*known, *bands.ask({}, 10)]}
    made = bands.estimate(117, answers)
    assert (made.above, made.precision) == (11, (1, 1, 1))
    assert made.recall.value == 1
    assert 0.1 < made.recall.low < 1  # about half of the others were asked, and none is a yes
    assert bands.estimate(115, answers).precision == pytest.approx((11 / 13,) * 3)


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
    assert (
        bands.ask_more(answers, 4)
        == bands.ask(answers, 4)
        == [row for row in bands.ask({}, 4) if items.key(row) not in answers]
    )


def test_a_sample_goes_on_until_every_item_is_answered():
    scores, _, items = population(2, n=200)
    bands, answers = Bands(scores, items, NOTHING), {}
    while rows := bands.ask_more(answers, 10):
        answers |= {items.key(row): "no" for row in rows}
        assert min(band.sampled for band in bands.bands(answers)) >= min(len(answers) // len(bands), 25)
    assert len(answers) == 200
