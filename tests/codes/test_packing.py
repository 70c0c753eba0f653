import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypertorus.codes import pack, packed_width, unpack


@given(bits=st.integers(1, 8), dim=st.integers(1, 40), n=st.integers(0, 5), seed=st.integers(0, 99))
def test_every_coordinate_sits_where_it_should(bits, dim, n, seed):
    codes = np.random.default_rng(seed).integers(0, 2**bits, (n, dim))
    packed = pack(codes, bits)
    assert packed.shape == (n, packed_width(dim, bits))
    for row, code in zip(packed, codes, strict=True):
        number = sum(int(c) << (i * bits) for i, c in enumerate(code))
        assert row.tobytes() == number.to_bytes(packed_width(dim, bits), "little")
    np.testing.assert_array_equal(unpack(packed, dim, bits), codes)


def test_any_integer_array_is_packed():
    codes = np.arange(24).reshape(4, 6) % 16
    want = pack(codes, 4)
    for dtype in (np.int8, np.uint8, np.int32, np.uint64):
        np.testing.assert_array_equal(pack(codes.astype(dtype), 4), want)
    np.testing.assert_array_equal(pack(np.repeat(codes, 2, axis=1)[:, ::2], 4), want)


@pytest.mark.parametrize(
    "codes, bits, error",
    [
        (np.array([[0, 256]]), 8, "codes holds 256 in row 0; a coordinate of 8 bits is 0 to 255"),
        (np.array([[0], [4]]), 2, "codes holds 4 in row 1; a coordinate of 2 bits is 0 to 3"),
        (np.array([[-1]], np.int8), 8, "codes holds -1 in row 0"),
        (np.array([1]), 8, r"codes is an array of int64 with shape \(1,\); pass a numpy matrix"),
        ([[1]], 8, "codes is a list"),
        (np.array([[1]]), 9, "bits is 9; a coordinate has 1 to 8 bits"),
        (np.array([[1]]), True, "bits is True"),
    ],
)
def test_what_is_no_code_is_refused(codes, bits, error):
    with pytest.raises(ValueError, match=error):
        pack(codes, bits)


def test_floats_are_not_packed():
    with pytest.raises(TypeError, match="codes holds float64; pass integers from 0 to 255"):
        pack(np.ones((1, 1)))


def test_bytes_of_another_width_are_not_unpacked():
    with pytest.raises(ValueError, match=r"5 coordinates of 4 bits are bytes \[n, 3\] of uint8"):
        unpack(np.zeros((2, 2), np.uint8), 5, 4)
