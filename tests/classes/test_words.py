"""Learned words: what they are made of, what they answer, and what is left of them after a cut; the C is as Python."""

import numpy as np
import pytest

from hypertorus import Words, circular_mean, distances
from hypertorus.classes import word_scores
from hypertorus.classes.word_scores import NO_WORD

DIM = 32


def said(rng, centre, count, spread=20):
    """Codes around a centre, about as a von Mises distribution has them."""
    return (centre + np.rint(rng.normal(0, spread, (count, DIM)))).astype(np.int64).astype(np.uint8)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def words(rng):
    store = Words(DIM, capacity=4)
    for name in ("up", "down", "naïve"):
        store.learn(said(rng, rng.integers(0, 256, DIM), 5), name)
    return store


def test_a_word_is_the_mean_of_its_examples_in_any_order_and_takes_40_bytes(rng):
    examples = rng.integers(0, 256, (5, DIM), dtype=np.uint8)
    one, other = Words(DIM), Words(DIM)
    one.learn(examples, "yes")
    other.learn(examples[::-1], "yes")
    np.testing.assert_array_equal(one.records, other.records)
    np.testing.assert_array_equal(one.codes[0], circular_mean(examples))
    assert one.records.shape == (10, 40)
    lengths = np.abs(np.exp(2j * np.pi * examples / 256).mean(axis=0)).mean()
    assert one.records[0, DIM + 1] == pytest.approx(256 * lengths, abs=1.5)
    assert one.examples == {0: 5}


def test_a_corrected_word_is_close_to_that_of_all_examples(rng):
    corrected, at_once = Words(DIM), Words(DIM)
    examples = said(rng, rng.integers(0, 256, DIM), 8)
    corrected.learn(examples[:5])
    corrected.correct(0, examples[5:])
    at_once.learn(examples)
    assert corrected.examples == at_once.examples == {0: 8}
    apart = (corrected.codes - at_once.codes).astype(np.int8)
    assert np.abs(apart).max() <= 2
    assert abs(int(corrected.records[0, DIM + 1]) - int(at_once.records[0, DIM + 1])) <= 2
    forgetful = circular_mean(np.concatenate([circular_mean(examples[:5])[None], examples[5:]]))
    assert np.abs((forgetful - at_once.codes).astype(np.int8)).max() > 5


def test_words_are_listed_forgotten_and_their_place_is_free(words, rng):
    assert words.names == {0: "up", 1: "down", 2: "naïve"}
    words.forget(1)
    assert words.names == {0: "up", 2: "naïve"}
    assert not words.records[1].any()
    assert (words.judge(words.codes).places == [0, 2]).all()
    assert words.learn(said(rng, 7, 5)) == 1
    words.rename(1, "left")
    assert words.names[1] == "left"
    assert len(words) == 3


def test_what_cannot_be_stored_is_refused_and_changes_nothing(words):
    before, one = words.records.copy(), np.zeros((1, DIM), np.uint8)
    for act, error in (
        (lambda: words.learn(one[:0]), r"would have 0 examples, 0 of them new"),
        (lambda: words.correct(0, np.zeros((251, DIM), np.uint8)), r"would have 256 examples, 251 of them new"),
        (lambda: words.learn(one, "too long"), r"name is 'too long', 8 bytes in UTF-8; it has at most 6"),
        (lambda: words.learn(one[:, 1:]), r"pass integers \[n, 32\]"),
        (lambda: words.forget(3), r"place 3 has no word; the places with words are \[0, 1, 2\]"),
        (lambda: words.open([b"", words.page()[:-1]]), r"neither page holds whole words of 32 coordinates"),
    ):
        with pytest.raises(ValueError, match=error):
            act()
        np.testing.assert_array_equal(words.records, before)
    words.learn(one)
    with pytest.raises(ValueError, match="all 4 places have words; forget one first"):
        words.learn(one)
    with pytest.raises(ValueError, match="metric is 'l2'; scores of words are by cosine or l1"):
        Words(DIM, metric="l2")
    with pytest.raises(ValueError, match="dim is 32768; it must be from 1 to 32,767"):
        Words(32_768)


def literal_scores(code, words, likeness, background, metric):
    """The formula, one number after the other."""
    quarter = 64 if metric == "l1" else 2**14

    def away(other):
        turns = [min((a - b) % 256, (b - a) % 256) for a, b in zip(code.tolist(), other.tolist(), strict=True)]
        if metric == "l1":
            return sum(turns)
        return sum(int(np.rint(2**14 * (1 - np.cos(2 * np.pi * turn / 256)))) for turn in turns)

    for number, word in enumerate(words):
        others = [away(other) for other in [*words[:number], *words[number + 1 :], *background]]
        spread = len(code) * quarter * (256 - int(likeness[number])) // 256
        yield 2 * (away(word) - spread) - min(others, default=len(code) * quarter)


@pytest.mark.parametrize("metric", ["cosine", "l1"])
@pytest.mark.parametrize(("count", "behind"), [(1, 0), (1, 2), (2, 0), (5, 3)])
def test_a_score_is_its_formula_and_the_answer_is_the_nearest_word(metric, count, behind, rng):
    codes, background = (rng.integers(0, 256, (n, DIM), dtype=np.uint8) for n in (20, behind))
    store = Words(DIM, metric=metric, background=background)
    for number in range(count):
        store.learn(said(rng, rng.integers(0, 256, DIM), 3, spread=10 + 10 * number))
    words, likeness = store.codes, store.records[:count, DIM + 1]
    assert count == 1 or len(set(likeness.tolist())) > 1
    _, scores = word_scores(codes, words, likeness, background, metric)
    assert scores.tolist() == [list(literal_scores(code, words, likeness, background, metric)) for code in codes]
    places, own = store.judge(codes)
    np.testing.assert_array_equal(places, distances(codes, words, metric).argmin(axis=1))
    np.testing.assert_array_equal(own, scores[np.arange(20), places])
    middle = int(np.sort(own)[10])
    np.testing.assert_array_equal(store.judge(codes, middle).places, np.where(own <= middle, places, -1))


def test_the_spread_of_a_word_is_the_mean_distance_of_its_examples(rng):
    store, examples = Words(DIM), said(rng, rng.integers(0, 256, DIM), 5, spread=40)
    store.learn(examples)
    code = rng.integers(0, 256, (1, DIM), dtype=np.uint8)
    (score,) = store.judge(code).scores
    spread = (2 * distances(code, store.codes)[0, 0] - 2**14 * DIM - score) / 2
    assert spread == pytest.approx(distances(examples, store.codes).mean(), rel=0.02)


@pytest.mark.parametrize("metric", ["cosine", "l1"])
def test_places_with_one_name_are_one_word_whose_nearest_way_counts(metric, rng):
    song, call, other = (rng.integers(0, 256, DIM) for _ in range(3))
    store, apart = (Words(DIM, metric=metric) for _ in range(2))
    for centre, name in ((song, "wren"), (other, "robin"), (call, "wren")):
        examples = said(rng, centre, 3)
        store.learn(examples, name)
        apart.learn(examples)
    heard = np.concatenate([said(rng, centre, 20, spread=60) for centre in (song, call)])
    away = distances(heard, store.codes, metric).astype(int)
    places, scores = store.judge(heard)
    np.testing.assert_array_equal(places, away.argmin(axis=1))
    is_wren = np.isin(places, (0, 2))
    robin = away[:, 1]
    spreads = np.array([DIM * (64 if metric == "l1" else 2**14) * (256 - int(each)) // 256 for each in store.likeness])
    nearest = np.where(away[:, 0] <= away[:, 2], 0, 2)
    wren = 2 * (away[np.arange(40), nearest] - spreads[nearest]) - robin
    np.testing.assert_array_equal(scores[is_wren], wren[is_wren])
    assert is_wren.sum() > 30
    assert (scores <= apart.judge(heard).scores).all()
    assert (scores < apart.judge(heard).scores).any()
    store.rename(2, "wrens")
    np.testing.assert_array_equal(store.judge(heard).scores, apart.judge(heard).scores)


def test_of_identical_words_the_first_answers_and_neither_is_sure(rng):
    store, example = Words(DIM, metric="l1"), rng.integers(0, 256, (1, DIM), dtype=np.uint8)
    for _ in range(2):
        store.learn(example)
    near = example + np.uint8(1)
    spread = 2 * (DIM // 4)  # of one example, whose likeness is 255 of 256
    assert store.judge(near) == (np.array([0]), np.array([DIM - spread]))
    assert store.judge(near, threshold=DIM - spread - 1).places == [-1]
    empty = Words(DIM).judge(near)
    assert (empty.places, empty.scores) == (-1, NO_WORD)


@pytest.mark.parametrize("save", [5, 65_535])
def test_a_page_that_is_cut_or_damaged_anywhere_leaves_the_old_words_or_the_new(words, save, rng):
    old, before = words.page(save), words.records.copy()
    words.correct(0, said(rng, 9, 1))
    new, after = words.page((save + 1) % 65_536), words.records.copy()
    assert len(new) == 16 + 3 * 40 + 4
    opened = Words(DIM, capacity=4)
    for cut in range(len(new) + 1):
        page = new[:cut].ljust(200, b"\xff")
        expected = after if cut == len(new) else before
        for pages in ([old, page], [page, old]):
            np.testing.assert_array_equal(opened.open(pages).records, expected)
    for bit in range(8 * len(new)):
        damaged = bytearray(new)
        damaged[bit // 8] ^= 1 << bit % 8
        np.testing.assert_array_equal(opened.open([bytes(damaged), old]).records, before)


def test_words_of_another_kind_are_not_opened(words):
    page = words.page()
    for other in (Words(DIM, model=1), Words(DIM, name_bytes=5), Words(DIM - 1, name_bytes=7), Words(DIM, capacity=2)):
        with pytest.raises(ValueError, match="neither page"):
            other.open([page, page])
    assert Words(DIM, capacity=3).open([b"\xff" * 200, page]).names == words.names
