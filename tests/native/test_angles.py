"""Angles and means in integers: against libm, and bit for bit against their twins in Python."""

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest

from hypertorus import TorusN
from hypertorus.codes import quantise
from hypertorus.codes.circular_mean import _edges, arrows, circular_mean, nearest_code
from hypertorus.export.angle import angle_codes

NATIVE = Path(__file__).parents[2] / "native"
WORST = 0.0015  # what the header states
MANY = """
#include <stddef.h>
#include "hypertorus_angles.h"
void angles(const int16_t *x, const int16_t *y, uint8_t *codes, size_t n) {
    for (size_t i = 0; i < n; i++) codes[i] = hypertorus_angle(x[i], y[i]);
}
void means(const int32_t *sums, uint8_t bits, uint8_t *codes, size_t n) {
    for (size_t i = 0; i < n; i++) codes[i] = hypertorus_mean(sums + 2 * i, bits);
}
void added(const uint8_t *codes, int32_t *sums, size_t n) {
    for (size_t i = 0; i < n; i++) hypertorus_add(sums, codes[i]);
}
"""


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    folder = tmp_path_factory.mktemp("angles")
    (folder / "many.c").write_text(MANY)
    command = ["cc", "-std=c99", "-O2", "-shared", "-fPIC", f"-I{NATIVE}", folder / "many.c", "-o", folder / "many.so"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(folder / "many.so"))


@pytest.fixture(scope="module")
def angle(native):
    def codes_of(x, y):
        x, y = np.ascontiguousarray(x, np.int16), np.ascontiguousarray(y, np.int16)
        codes = np.empty(x.size, np.uint8)
        native.angles(*map(_address, (x, y, codes)), ctypes.c_size_t(x.size))
        return codes

    return codes_of


@pytest.fixture(scope="module")
def mean(native):
    def codes_of(sums, bits):
        sums = np.ascontiguousarray(sums, np.int32)
        codes = np.empty(len(sums), np.uint8)
        native.means(_address(sums), ctypes.c_uint8(bits), _address(codes), ctypes.c_size_t(len(sums)))
        return codes

    return codes_of


def _address(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def errors(x, y, codes):
    """How far, in codes, a direction is outside the code it was given; negative inside."""
    past = np.arctan2(y.astype(float), x.astype(float)) * 128 / np.pi - codes
    past = (past + 128) % 256 - 128
    return np.maximum(-past, past - 1)


def pairs_on_a_grid():
    numbers = np.r_[-32768:32768:97, 32767, -1, 0, 1]
    x, y = (side.ravel() for side in np.meshgrid(numbers, numbers))
    return x[(x != 0) | (y != 0)], y[(x != 0) | (y != 0)]


def pairs_at_random():
    rng = np.random.default_rng(0)
    limits = np.repeat([3, 40, 1000, 32767], 200_000)
    x, y = rng.integers(-limits - 1, limits + 1), rng.integers(-limits - 1, limits + 1)
    return x[(x != 0) | (y != 0)], y[(x != 0) | (y != 0)]


def pairs_near_borders():
    """Of all lengths along the 256 borders, where rounding decides, and one beside."""
    turns, length = np.arange(256)[:, None] / 256 * 2 * np.pi, np.r_[1:500, 500:32767:101]
    x, y = np.rint(length * np.cos(turns)).ravel(), np.rint(length * np.sin(turns)).ravel()
    return np.r_[x, x + 1, x], np.r_[y, y, y - 1]


@pytest.mark.parametrize("pairs", [pairs_on_a_grid, pairs_at_random, pairs_near_borders])
def test_an_angle_is_that_of_libm_to_the_stated_error(angle, pairs):
    x, y = pairs()
    x, y = x[(x != 0) | (y != 0)], y[(x != 0) | (y != 0)]
    codes = angle(x, y)
    assert errors(x, y, codes).max() < WORST
    np.testing.assert_array_equal(codes, angle_codes(x, y))


def test_an_angle_is_the_code_of_a_pair_of_the_torus(angle):
    x, y = pairs_at_random()
    raw = np.stack([x, y], 1).astype(float)
    codes = quantise(TorusN(2).turns(raw))[:, 0]
    apart = codes != angle(x, y)
    assert apart.mean() < 2 * WORST
    assert errors(x, y, codes).max() <= 1e-9  # so the oracle itself is right


def test_axes_diagonals_and_opposites_are_exact(angle):
    size = np.r_[1:2000, 32000:32768]
    none = np.zeros_like(size)
    for code, x, y in ((0, size, none), (32, size, size), (64, none, size), (96, -size, size), (128, -size, none)):
        assert (angle(x, y) == code).all()
        assert (angle(-x, -y) == (code + 128) % 256).all()
    assert angle(np.array([0]), np.array([0])) == quantise(TorusN(2).turns(np.zeros((1, 2))))[0]
    x, y = pairs_at_random()
    x, y = x[(x > -32768) & (y > -32768)], y[(x > -32768) & (y > -32768)]
    np.testing.assert_array_equal(angle(-x, -y), angle(x, y) + np.uint8(128))


@pytest.mark.parametrize("bits", [8, 4, 2, 1])
def test_a_mean_is_that_of_python_bit_for_bit(mean, bits):
    rng = np.random.default_rng(1)
    longest = 65_535 * 2**14
    turns = rng.random(100_000) * 2 * np.pi
    limits = np.repeat([1, 2, 30, 10**5, 2**28], 50_000)[:, None]
    on_edges = (_edges(bits)[:, None] * np.array([1, -1, 2, 3, 999, -999, 32_767, -32_767])[:, None]).reshape(-1, 2)
    beside = (on_edges[:, None] + np.array([[0, 1], [0, -1], [1, 0], [-1, 0]])).reshape(-1, 2)
    sums = np.concatenate(
        [
            rng.integers(-limits, limits + 1, (len(limits), 2)),
            np.rint(np.stack([np.cos(turns), np.sin(turns)], 1) * longest).astype(np.int64),
            [[longest, 0], [-longest, 0], [0, longest], [0, -longest], [0, 0]],
            on_edges,
            beside,
        ]
    )
    np.testing.assert_array_equal(mean(sums, bits), nearest_code(sums, bits))


def test_examples_are_added_as_arrows(native, mean):
    codes = np.random.default_rng(2).integers(40, 90, 65_535, dtype=np.uint8)
    sums = np.zeros((1, 2), np.int32)
    native.added(_address(codes), _address(sums), ctypes.c_size_t(len(codes)))
    np.testing.assert_array_equal(sums[0], arrows(codes, 8).sum(axis=0))
    assert mean(sums, 8) == circular_mean(codes[:, None])
