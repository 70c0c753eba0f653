import numpy as np
import pytest

import hypertorus as ht
from hypertorus.codes import half_points, hamming_view, int8_points
from hypertorus.search import distances


def literal(codes, bits):
    """Points by the formula, a coordinate at a time."""
    angles = [[2 * np.pi * (int(c) + 0.5) / 2**bits for c in row] for row in codes]
    return np.array([[f(a) for a in row for f in (np.cos, np.sin)] for row in angles])


@pytest.mark.parametrize("bits", [8, 4, 3, 2, 1])
def test_points_are_cosines_and_sines_of_the_middle_of_each_arc(bits):
    codes = np.random.default_rng(bits).integers(0, 2**bits, (40, 7))
    np.testing.assert_array_equal(int8_points(codes, bits), np.rint(127 * literal(codes, bits)))
    np.testing.assert_allclose(half_points(codes, bits), literal(codes, bits) / np.sqrt(7), rtol=2**-11, atol=1e-7)
    assert int8_points(codes, bits).dtype == np.int8
    assert half_points(codes, bits).dtype == np.float16


def test_half_points_are_those_of_the_model_up_to_half_an_arc():
    raw = np.random.default_rng(0).normal(size=(50, 64))
    torus = ht.TorusN(64)
    points, view = torus.project(raw), half_points(ht.GridCodes(torus).encode(raw)).astype(np.float64)
    cosines = (points * view).sum(axis=1) / np.linalg.norm(view, axis=1)
    assert cosines.min() > np.cos(np.pi / 256)


@pytest.mark.parametrize("of_bits", [8, 4, 2])
@pytest.mark.parametrize("bits", [1, 2])
def test_hamming_is_l1_of_the_top_bits(bits, of_bits):
    codes = np.random.default_rng(1).integers(0, 2**of_bits, (30, 12))
    view = hamming_view(codes, bits, of_bits=of_bits)
    differing = np.bitwise_count(view[:, None] ^ view[None]).sum(axis=-1)
    top = codes >> (of_bits - bits)
    np.testing.assert_array_equal(differing, distances(top, top, metric="l1", bits=bits))
    assert view.shape == (30, 12 * bits // 8 + (12 * bits % 8 > 0))


def test_no_codes_are_no_rows():
    none = np.empty((0, 8), np.uint8)
    assert hamming_view(none).shape == (0, 2)
    assert int8_points(none).shape == half_points(none).shape == (0, 16)


@pytest.mark.parametrize("view", [int8_points, half_points, lambda codes, bits=8: hamming_view(codes, of_bits=bits)])
@pytest.mark.parametrize(
    "codes, bits, error",
    [
        (np.array([[0.5, 0.2]]), 8, r"codes is float64 of shape \(1, 2\); pass integers"),
        (np.array([1, 2]), 8, r"codes is int64 of shape \(2,\); pass integers"),
        (np.array([[0, 16]]), 4, "codes go from 0 to 16; 4 bits hold 0 to 15"),
        (np.array([[-1, 3]], np.int8), 8, "codes go from -1 to 3; 8 bits hold 0 to 255"),
        (np.array([[1]]), 9, "bits is 9; a coordinate has 1 to 8 bits"),
        (np.array([[1]]), True, "bits is True"),
    ],
)
def test_what_is_no_code_is_refused(view, codes, bits, error):
    with pytest.raises(ValueError, match=error):
        view(codes, bits)


@pytest.mark.parametrize(
    "bits, of_bits, error",
    [
        (8, 8, "bits is 8; the Hamming view is for 1 to 4 bits"),
        (0, 8, "bits is 0; the Hamming view is for 1 to 4 bits"),
        (True, 8, "bits is True; the Hamming view is for 1 to 4 bits"),
        (4, 2, "bits is 4, but these codes have 2"),
    ],
)
def test_a_view_of_other_depths_is_refused(bits, of_bits, error):
    with pytest.raises(ValueError, match=error):
        hamming_view(np.array([[1, 0]]), bits, of_bits=of_bits)
