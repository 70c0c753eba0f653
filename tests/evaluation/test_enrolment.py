"""Thresholds of learned words hold for speakers who were not there when they were fixed."""

import numpy as np
import pytest

from hypertorus import Enrolment, Words
from hypertorus.evaluation.enrolment import EnrolmentScores, share_for_strangers

DIM, WORDS, CLIPS, SPEAKERS = 32, 8, 10, 40


@pytest.fixture(scope="module")
def spoken():
    """Codes of words with an accent for each speaker, about as von Mises distributions have them."""
    rng = np.random.default_rng(0)
    speakers, labels = (
        np.repeat(np.arange(SPEAKERS), WORDS * CLIPS),
        np.tile(np.repeat(np.arange(WORDS), CLIPS), SPEAKERS),
    )
    centres = rng.integers(0, 256, (WORDS, DIM)) + rng.normal(0, 20, (SPEAKERS, WORDS, DIM))
    codes = np.rint(centres[speakers, labels] + rng.normal(0, 50, (len(labels), DIM)))
    return codes.astype(np.int64) % 256, labels, speakers


def parts(spoken, enrolment, episodes=15):
    """The scores of the first half of the speakers, and of the others."""
    codes, labels, speakers = spoken
    for own in (speakers < SPEAKERS // 2, speakers >= SPEAKERS // 2):
        yield enrolment.scores(codes[own], labels[own], speakers[own], episodes=episodes)


@pytest.mark.parametrize("metric", ["cosine", "l1"])
@pytest.mark.parametrize(("words", "others"), [(1, 0), (3, 0), (1, 4)])
def test_a_threshold_keeps_its_rate_for_speakers_never_heard(spoken, words, others, metric):
    known, new = parts(spoken, Enrolment(words=words, others=others, metric=metric))
    for rate in (0.05, 0.01):
        threshold = known.threshold(rate)
        assert known.false_accepts(threshold) <= rate < known.false_accepts(threshold + 1) + 1 / len(known.others)
        assert rate / 3 < new.false_accepts(threshold) < 2 * rate
        assert 0.3 < new.true_accepts(threshold) < 1
    assert known.threshold(0.01) < known.threshold(0.05)


@pytest.mark.parametrize("metric", ["cosine", "l1"])
def test_one_threshold_serves_speakers_who_say_words_more_or_less_alike(metric):
    """At one that accepts half of all clips, the loose ones would have none, if the spread of words did not count."""
    rng = np.random.default_rng(0)
    speakers, labels = np.repeat(np.arange(20), 80), np.tile(np.repeat(np.arange(8), 10), 20)
    spread = np.where(speakers % 2, 45, 15)[:, None]
    codes = (rng.integers(0, 256, (8, DIM))[labels] + spread * rng.normal(0, 1, (1600, DIM))).astype(int) % 256
    loose, tight = (
        Enrolment(metric=metric).scores(codes[rows], labels[rows], speakers[rows], episodes=10)
        for rows in (speakers % 2 == 1, speakers % 2 == 0)
    )
    threshold = int(np.median(np.concatenate([loose.wanted, tight.wanted])))
    assert 0.1 < loose.true_accepts(threshold) < tight.true_accepts(threshold)


def test_what_is_said_in_two_ways_is_known_by_examples_that_stay_apart():
    rng = np.random.default_rng(0)
    speakers, labels, ways = np.repeat(np.arange(8), 120), np.tile(np.arange(6), 160), rng.integers(0, 2, 960)
    codes = (rng.integers(0, 256, (2, 6, DIM))[ways, labels] + rng.normal(0, 30, (960, DIM))).astype(int) % 256
    together, apart = (Enrolment(apart=each).scores(codes, labels, speakers, episodes=10) for each in (False, True))
    assert together.true_accepts(together.threshold(0.01)) < 0.75
    assert apart.true_accepts(apart.threshold(0.01)) > 0.9


def test_less_is_asked_of_known_speakers_than_strangers_shall_have():
    """Strangers whose scores lie lower pass more often; with the share that is found they pass as often as wanted."""
    rng = np.random.default_rng(0)
    none = np.empty(0, np.int64)
    pairs = [
        tuple(EnrolmentScores(none, (scale * rng.normal(mean, 1, 50_000)).astype(int)) for mean in (0.0, below))
        for scale, below in ((1000, -0.3), (7000, -0.5), (300, 0.1))  # networks of different scales
    ]
    for wanted in (0.05, 0.01):
        share = share_for_strangers(pairs, wanted)
        passed = np.mean([strangers.false_accepts(known.threshold(share)) for known, strangers in pairs])
        assert passed == pytest.approx(wanted, rel=0.02)
        assert share < 0.8 * wanted
    with pytest.raises(ValueError, match="pairs is empty"):
        share_for_strangers([])


def test_scores_are_those_of_a_store_of_words(spoken):
    codes, labels, speakers = (rows[: WORDS * CLIPS] for rows in spoken)
    codes = codes.astype(np.uint8)
    scores = Enrolment(words=1, others=WORDS - 1, shots=CLIPS - 1).scores(codes, labels, speakers, episodes=1, seed=3)
    rng = np.random.default_rng(3)
    chosen = rng.choice(WORDS, WORDS, replace=False)
    support = [rng.choice(np.flatnonzero(labels == label), CLIPS - 1, replace=False) for label in chosen]
    store = Words(DIM)
    for rows in support:
        store.learn(codes[rows])
    (rest,) = np.setdiff1d(np.flatnonzero(labels == chosen[0]), support[0])
    assert len(scores.others) == WORDS - 1
    assert store.judge(codes[[rest]]).places == 0
    assert scores.wanted.tolist() == store.judge(codes[[rest]]).scores.tolist()


def test_background_words_stand_for_others_and_never_for_the_word_itself(spoken):
    codes, labels, speakers = spoken
    middles = np.stack([codes[labels == label][::40] for label in range(WORDS)])
    flat, numbers = middles.reshape(-1, DIM).astype(np.uint8), np.repeat(np.arange(WORDS), middles.shape[1])
    alone, helped, confused = (
        scores.true_accepts(scores.threshold(0.01))
        for scores in (
            enrolment.scores(codes, labels, speakers, episodes=3)
            for enrolment in (
                Enrolment(),
                Enrolment(background=flat, background_labels=numbers),
                Enrolment(background=flat),
            )
        )
    )
    assert confused < alone < helped


def test_what_cannot_be_simulated_is_one_sentence(spoken):
    codes, labels, speakers = spoken
    with pytest.raises(ValueError, match="no speaker has 9 words of more than 5 clips"):
        Enrolment(words=9).scores(codes, labels, speakers)
    with pytest.raises(ValueError, match="words is 0; it must be at least 1"):
        Enrolment(words=0)
    with pytest.raises(ValueError, match="3200 codes, 3200 labels and 2 speakers"):
        Enrolment().scores(codes, labels, [0, 1])
    with pytest.raises(ValueError, match="no clips of other words"):
        Enrolment(words=WORDS).scores(codes, labels, speakers, episodes=1).threshold()
    with pytest.raises(ValueError, match="false_accepts is 5; it is a share"):
        EnrolmentScores(np.zeros(1), np.zeros(1)).threshold(5)
