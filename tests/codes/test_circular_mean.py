import numpy as np
import pytest

from hypertorus.codes import circular_mean
from hypertorus.codes.circular_mean import arrows
from hypertorus.search import distances


def float_mean(codes, bits):
    """The circular mean of each column in codes, and its resultant length, from the definition."""
    mean = np.exp(2j * np.pi * codes / 2**bits).mean(axis=0)
    return np.angle(mean) / (2 * np.pi) * 2**bits, np.abs(mean)


def steps(a, b, bits):
    difference = np.abs(a - b) % 2**bits
    return np.minimum(difference, 2**bits - difference)


def excess(codes, bits):
    """By how much more than half a code the integer mean is off, over what its docstring allows."""
    mean, length = float_mean(codes, bits)
    known = length > 1e-9
    off = steps(circular_mean(codes, bits)[known].astype(float), mean[known], bits) - 0.5
    return off / (2.0 ** (bits - 8) * 0.002 * (1 + 1 / length[known]))


@pytest.mark.parametrize("bits", range(1, 9))
def test_one_code_is_its_own_mean(bits):
    codes = np.arange(2**bits)[None]
    np.testing.assert_array_equal(circular_mean(codes, bits), codes[0])


@pytest.mark.parametrize("bits", [8, 4, 2, 1])
def test_the_error_is_what_the_docstring_says(bits):
    rng = np.random.default_rng(bits)
    for n in (1, 2, 3, 4, 5, 7, 10, 30, 100):
        scattered = rng.integers(0, 2**bits, (n, 5_000))
        spread = rng.uniform(0, 2**bits, 5_000)
        gathered = np.floor(rng.normal(0, spread / 4, (n, 5_000))).astype(int) % 2**bits
        assert excess(scattered, bits).max() <= 1
        assert excess(gathered, bits).max() <= 1


def test_the_error_holds_for_every_pair_and_many_triples():
    pairs = np.stack(np.meshgrid(np.arange(256), np.arange(256))).reshape(2, -1)
    assert excess(pairs, 8).max() <= 1
    third = np.random.default_rng(0).integers(0, 256, (1, pairs.shape[1]))
    assert excess(np.concatenate([pairs, third]), 8).max() <= 1


@pytest.mark.parametrize("bits", [8, 4, 2])
def test_the_mean_of_two_neighbours_is_the_upper_all_round_the_circle(bits):
    below = np.arange(2**bits)
    above = (below + 1) % 2**bits
    np.testing.assert_array_equal(circular_mean(np.stack([below, above]), bits), above)


def test_a_quarter_turn_more_is_a_quarter_turn_more():
    codes = np.random.default_rng(0).integers(0, 256, (5, 1000), np.uint8)
    np.testing.assert_array_equal(circular_mean(codes + np.uint8(64)), circular_mean(codes) + np.uint8(64))


def test_codes_that_cancel_have_the_mean_0():
    assert circular_mean(np.array([[3, 7, 200], [131, 135, 72]])).tolist() == [0, 0, 0]


def test_the_table_is_that_of_the_cosine_metric():
    codes = np.arange(256, dtype=np.uint8)
    from_zero = distances(codes[:, None], np.zeros((1, 1), np.uint8), metric="cosine")[:, 0].astype(int)
    np.testing.assert_array_equal(arrows(codes, 8)[:, 0], 2**14 - from_zero)
    np.testing.assert_array_equal(arrows(codes, 8)[:, 1], 2**14 - from_zero[codes - np.uint8(64)])


def test_what_has_no_mean_is_refused():
    with pytest.raises(ValueError, match=r"codes has shape \(0, 3\), which is empty; a mean needs at least one row"):
        circular_mean(np.empty((0, 3), np.uint8))
    with pytest.raises(ValueError, match="codes go from 0 to 4; 2 bits hold 0 to 3"):
        circular_mean(np.array([[0, 4]]), bits=2)
    with pytest.raises(ValueError, match="bits is 9; a coordinate has 1 to 8 bits"):
        circular_mean(np.array([[0, 4]]), bits=9)
