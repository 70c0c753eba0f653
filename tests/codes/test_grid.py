import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hypertorus import TorusN
from hypertorus.codes import BITS, grid, quantise


@given(hnp.arrays(np.float64, (3, 4), elements=st.floats(0, 1, exclude_max=True)), st.sampled_from(BITS))
def test_a_code_is_the_number_of_its_arc(turns, bits):
    want = [[math.floor(t * 2**bits) for t in row] for row in turns.tolist()]
    np.testing.assert_array_equal(quantise(turns, bits), want)


@given(hnp.arrays(np.float32, (3, 4), elements=st.floats(0, 1, width=32)))
def test_bit_depths_nest(turns):
    for bits in BITS:
        np.testing.assert_array_equal(quantise(turns, bits), quantise(turns) >> (8 - bits))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_tensors_of_any_precision_are_taken(dtype):
    turns = (torch.arange(64).reshape(4, 16) / 64).to(dtype).requires_grad_()
    np.testing.assert_array_equal(quantise(turns), np.arange(64).reshape(4, 16) * 4)


def test_exactly_one_wraps_to_zero():
    assert quantise(np.array([1.0, np.nextafter(1, 0), -0.0])).tolist() == [0, 255, 0]
    assert quantise(np.array([1.0, np.nextafter(np.float32(1), np.float32(0))], np.float32)).tolist() == [0, 255]


def test_pieces_make_no_difference(monkeypatch):
    turns = TorusN(10).turns(np.random.default_rng(0).normal(size=(50, 10)))
    whole = quantise(turns)
    monkeypatch.setattr(grid, "_NUMBERS_AT_ONCE", 7)
    np.testing.assert_array_equal(quantise(turns), whole)
    np.testing.assert_array_equal(quantise(turns[:, ::2]), whole[:, ::2])
    with pytest.raises(ValueError, match="turns holds nan in row 30"):
        quantise(np.where(np.arange(50)[:, None] == 30, np.nan, turns))


@pytest.mark.parametrize("wrong", [-1e-9, 1.0001, math.nan, math.inf])
def test_what_is_no_angle_is_refused(wrong):
    with pytest.raises(ValueError, match=r"in row 1; turns are in \[0, 1\), so take raw numbers through a space"):
        quantise(np.array([[0.5], [wrong]]))


def test_other_things_are_refused():
    with pytest.raises(TypeError, match="turns is a list"):
        quantise([0.5])
    with pytest.raises(TypeError, match="turns holds uint8; turns are floating-point"):
        quantise(np.zeros((1, 1), np.uint8))
    with pytest.raises(ValueError, match="turns is a single number"):
        quantise(np.float64(0.5))
