"""Prototypes: they stand for their class, and the better kind is taken."""

import numpy as np
import pytest

from hypertorus.codes.circular_mean import circular_mean
from hypertorus.evaluation.prototypes import CodePrototypes
from hypertorus.export.known import Labelled
from hypertorus.export.prototypes import all_codes, choose, split
from hypertorus.search import distances


def clusters(rng, centres, spread, count, dim=6):
    """Codes around several centres a class."""
    labels = np.repeat(np.arange(len(centres)), count)
    middles = np.concatenate([np.array(own)[np.arange(count) % len(own)] for own in centres])
    return Labelled(
        (middles[:, None] + rng.integers(-spread, spread + 1, size=(len(labels), dim))).astype(np.uint8), labels
    )


def test_one_a_class_is_the_circular_mean_or_the_code_with_the_least_distance_to_all():
    known = clusters(np.random.default_rng(0), [[0], [90]], 30, 25)
    chosen = choose(known, 1)
    assert chosen.stored.labels.tolist() == [0, 1]
    for number, code in zip(*reversed(chosen.stored), strict=True):
        own = known.codes[known.labels == number]
        if chosen.kind == "circular means":
            assert np.array_equal(code, circular_mean(own))
        else:
            assert np.array_equal(code, own[distances(own, own, "l1").sum(axis=1).argmin()])


def test_several_find_the_parts_of_a_class():
    known = clusters(np.random.default_rng(1), [[0, 128], [64, 192]], 10, 40)
    one, two = choose(known, 1), choose(known, 2)
    assert two.stored.nearest_accuracy(known, 8) == 1.0 > one.stored.nearest_accuracy(known, 8)
    middles = sorted(int(code.mean()) for code in split(known.codes[known.labels == 1], 2, 8, circular_mean))
    assert abs(middles[0] - 64) < 6
    assert abs(middles[1] - 192) < 6


@pytest.mark.parametrize(("neighbour", "kind"), [(128, "circular means"), (12, "medoids")])
def test_the_kind_that_classifies_better_is_taken(neighbour, kind):
    """The mean of the first class lies at 34, from where a neighbour at 12 would draw its codes at 0 away."""
    codes = np.array([[0], [0], [0], [90], [90], [neighbour]], np.uint8)
    known = Labelled(codes, np.array([0, 0, 0, 0, 0, 1]))
    means, chosen = CodePrototypes().fit(*known), choose(known, 1)
    by_means = (means.predict(codes) == known.labels).mean()
    assert chosen.kind == kind
    assert (chosen.stored.nearest_accuracy(known, 8) > by_means) == (kind == "medoids")


@pytest.mark.parametrize("bits", [8, 4, 2, 1])
def test_a_class_of_few_codes_is_stored_whole_and_the_same_every_time(bits):
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 2**bits, size=(9, 12), dtype=np.uint8)
    known = Labelled(np.concatenate([codes, codes[:2]]), np.array([0] * 7 + [1, 1, 0, 0]))
    chosen, again = choose(known, 7, bits), choose(known, 7, bits)
    assert np.array_equal(chosen.stored.codes, again.stored.codes)
    assert {*map(bytes, chosen.stored.codes)} == {*map(bytes, codes)}


def test_all_codes_are_kept_in_the_order_of_classes():
    known = Labelled(np.array([[5], [6], [7], [8]], np.uint8), np.array([1, 0, 1, 0]))
    stored, kind = all_codes(known)
    assert (stored.codes.ravel().tolist(), stored.labels.tolist(), kind) == ([6, 8, 5, 7], [0, 0, 1, 1], "all codes")


def test_none_at_all_is_refused():
    with pytest.raises(ValueError, match="--prototypes is 0; store at least 1 code for each class"):
        choose(Labelled(np.zeros((1, 1), np.uint8), np.zeros(1, np.int64)), 0)
