"""What to ask next, and counts of what was found."""

import numpy as np
import pytest

from hypertorus.search import Index
from hypertorus.workbench import Items, choose, counts, histogram, moment_of


def example(n=5000):
    rng = np.random.default_rng(0)
    index = Index(2)
    index.add(rng.integers(0, 256, (n, 2)), names=[f"{number // 4}_{number % 4}.wav" for number in range(n)])
    return index, Items.of(index), rng.integers(-1000, 1000, n).astype(np.int32)


def rows(choices):
    return [choice.row for choice in choices]


@pytest.mark.parametrize("count", [3, 2000])
def test_ways_are_orders_of_all_that_was_not_answered(count):
    _, items, scores = example()
    answered = np.arange(0, 5000, 3)
    left = np.setdiff1d(np.arange(5000), answered)
    best = left[np.argsort(-scores[left], kind="stable")][:count]
    assert rows(choose(scores, items, "best", count, leave_out=answered)) == best.tolist()
    near = left[np.argsort(np.abs(scores[left] - 50), kind="stable")][:count]
    assert rows(choose(scores, items, "boundary", count, leave_out=answered, boundary=50)) == near.tolist()
    drawn = choose(scores, items, "random", count, leave_out=answered)
    assert rows(drawn) == left[np.argsort(items.ranks[left])][:count].tolist()
    banded = rows(choose(scores, items, "band", count, leave_out=answered, band=(100, 200)))
    assert ((scores[banded] >= 100) & (scores[banded] < 200)).all()
    assert len(banded) == min(count, ((scores[left] >= 100) & (scores[left] < 200)).sum())


def test_recordings_and_duplicates_are_folded():
    index, items, scores = example(400)
    index.remove(index.ids[300:])
    index.add(np.repeat(index.vectors([0]), 100, axis=0), names=[f"copy{number}_0.wav" for number in range(100)])
    items = Items.of(index)
    one = choose(scores, items, "best", 1000, one_per_recording=True)
    assert len(one) == len(np.unique(items.recordings))
    for choice in one:
        of_recording = np.flatnonzero(items.recordings == items.recordings[choice.row])
        assert sorted((choice.row, *choice.folded)) == of_recording.tolist()
        assert choice.row == of_recording[scores[of_recording].argmax()]
    different = choose(scores, items, "best", 1000, no_duplicates=index)
    codes = index.vectors(items.ids[rows(different)])
    assert len(np.unique(codes, axis=0)) == len(codes) == len(np.unique(index.vectors(index.ids), axis=0))


def test_unknown_ways_and_bands_that_are_missing_are_errors():
    _, items, scores = example(10)
    with pytest.raises(ValueError, match="way is 'worst'; choose one of best, boundary, random, band"):
        choose(scores, items, "worst")
    with pytest.raises(ValueError, match="no band was given"):
        choose(scores, items, "band")


def test_counts_are_by_the_time_at_which_a_window_starts():
    index = Index(1)
    index.add(np.zeros((3, 1), int))
    items = Items(
        *(index.ids, None, "windows", ["d/M-1_20240501_235959.wav", "x.wav"], np.array([0, 0, 1])),
        *(np.array([0.0, 3.0, 0.0]), np.array([3.0, 6.0, 3.0])),
    )
    made = counts(items, np.array([True, True, False]))
    assert made.sites == {"M-1": (2, 2)}
    assert made.days == {"2024-05-01": (1, 1), "2024-05-02": (1, 1)}
    assert made.hours == {0: (1, 1), 23: (1, 1)}
    assert made.undated == (0, 1)
    assert counts(Items(index.ids, None, "ids"), np.ones(3, bool)).undated == (3, 3)


@pytest.mark.parametrize(
    ("name", "site"),
    [("SMM0123_20240501_050000.wav", "SMM0123"), ("20240501_050000.WAV", ""), ("a/b/20240501T050000Z.flac", "b")],
)
def test_names_of_common_recorders_are_read(name, site):
    moment = moment_of(name)
    assert moment is not None
    assert (moment.site, moment.begin.isoformat()) == (site, "2024-05-01T05:00:00")


@pytest.mark.parametrize("name", ["owl.wav", "A_20240230_050000.wav", "A_20240501_250000.wav", "A_2024_05.wav"])
def test_other_names_have_no_time(name):
    assert moment_of(name) is None


def test_a_histogram_counts_all_and_what_was_answered():
    _, items, scores = example(500)
    made = histogram(scores, items, {items.key(3): "yes", items.key(4): "no", items.key(5): "unsure"}, bins=20)
    assert (made.items.sum(), made.yes.sum(), made.no.sum(), len(made.edges)) == (500, 1, 1, 21)
    place = np.flatnonzero(made.yes)[0]
    assert made.edges[place] <= scores[3] <= made.edges[place + 1]
