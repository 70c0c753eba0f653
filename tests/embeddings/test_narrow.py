"""Embeddings cut to fewer coordinates and bits are those of a smaller model, and keep all that is known of them."""

import numpy as np
import pytest

from hypertorus import Embeddings, space

RAW = np.random.default_rng(0).normal(size=(50, 16))


@pytest.mark.parametrize("name", ["torusN", "torusC", "sphere"])
def test_points_turns_and_raw_numbers_are_those_of_the_first_coordinates(name):
    whole, kept = space(name, 16), 3
    numbers = 6 if name == "torusN" else 3
    smaller = space(name, numbers)
    raw = Embeddings(RAW, "raw", name).narrowed(kept)
    np.testing.assert_array_equal(raw.rows, RAW[:, :numbers])
    points = Embeddings(whole.project(RAW), "points", name).narrowed(coordinates=kept)
    assert (points.dim, points.space) == (numbers, name)
    np.testing.assert_allclose(points.rows, smaller.project(RAW[:, :numbers]), atol=1e-12)
    if name != "sphere":
        turns = Embeddings(whole.turns(RAW), "turns", name).narrowed(kept)
        np.testing.assert_array_equal(turns.rows, smaller.turns(RAW[:, :numbers]))


def test_codes_nest_and_everything_else_stays():
    turns = space("torusN", 16).turns(RAW)
    codes = np.floor(turns * 256).astype(np.uint8)
    labels, names = np.arange(50) % 2, [f"{i}.wav" for i in range(50)]
    record = Embeddings(
        codes, "codes", "torusN", metric="l1", labels=labels, classes=("a", "b"), names=names, model="cafe"
    )
    small = record.narrowed(coordinates=5, bits=2)
    np.testing.assert_array_equal(small.rows, np.floor(turns[:, :5] * 4))
    assert (small.dim, small.bits, small.metric, small.model) == (10, 2, "l1", "cafe")
    assert small.names.tolist() == names
    np.testing.assert_array_equal(small.codes(1), np.floor(turns[:, :5] * 2))
    np.testing.assert_array_equal(record.narrowed().rows, codes)


def test_what_cannot_be_cut_is_told():
    codes = Embeddings(np.zeros((2, 4), np.uint8), "codes", "torusN", bits=4)
    with pytest.raises(ValueError, match="coordinates is 5; there are 4, so keep 1 to 4"):
        codes.narrowed(5)
    with pytest.raises(ValueError, match="coordinates is 0"):
        codes.narrowed(0)
    with pytest.raises(ValueError, match="bits is 8, but these codes have 4"):
        codes.narrowed(bits=8)
    with pytest.raises(ValueError, match="points have none"):
        Embeddings(np.ones((1, 4)), "points", "torusN").narrowed(bits=2)
    with pytest.raises(ValueError, match="a grid for whole vectors"):
        Embeddings(np.zeros((2, 4), np.uint8), "codes", "sphere").narrowed(2)
