import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypertorus.coders.bits import DISTORTIONS, STEPS, nibble_order, places, shared_bits


@given(st.lists(st.floats(0, 100), min_size=1, max_size=40), st.integers(1, 20))
def test_bits_fit_into_their_nibbles_and_do_not_overlap(variances, nibbles):
    bits = shared_bits(np.array(variances), nibbles)
    order = nibble_order(bits)
    assert sorted(order) == np.flatnonzero(bits).tolist()
    nibble, shift = places(bits[order])
    used = [(int(n), int(s) + bit) for n, s, b in zip(nibble, shift, bits[order], strict=True) for bit in range(b)]
    assert len(set(used)) == len(used)
    assert all(n < nibbles and bit < 4 for n, bit in used)


def test_no_bit_is_left_where_there_is_variance():
    for nibbles in range(1, 20):
        assert shared_bits(0.8 ** np.arange(60), nibbles).sum() == 4 * nibbles


def test_more_variance_never_has_fewer_bits_but_by_what_fits():
    bits = shared_bits(0.9 ** np.arange(60), 32)
    assert (np.diff(bits) <= 1).all()
    assert bits[0] == bits.max()


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_steps_are_the_best_for_normal_numbers(bits):
    numbers = np.random.default_rng(0).normal(size=200_000)
    half = 2 ** (bits - 1)

    def lost(step):
        levels = np.clip(np.floor(numbers / step), -half, half - 1) + 0.5
        return ((numbers - step * levels) ** 2).mean()

    assert lost(STEPS[bits]) == pytest.approx(DISTORTIONS[bits], rel=0.03)
    assert lost(STEPS[bits]) < min(lost(0.9 * STEPS[bits]), lost(1.1 * STEPS[bits]))
