"""Angles of directions in integers, equal bit for bit to `native/hypertorus_angles.h`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes.circular_mean import arrows

_ARROWS = arrows(np.arange(256, dtype=np.uint8), 8)


def direction_codes(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Return 8-bit codes of directions (x, y); 32-bit numbers are halved, rounding down, until both fit 16 bits.

    >>> direction_codes(np.array([5, 0, -70_000, 3]), np.array([0, 100_000, 0, -3]))
    array([  0,  64, 128, 224], dtype=uint8)
    """
    x, y = x.astype(np.int64), y.astype(np.int64)
    while (wide := (_outside(x) | _outside(y))).any():
        x, y = np.where(wide, x >> 1, x), np.where(wide, y >> 1, y)
    return angle_codes(x, y)


def angle_codes(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Return floor(256 turns) of atan2(y, x) of 16-bit numbers, bit by bit from the side of an arrow they lie on."""
    x, y = x.astype(np.int64), y.astype(np.int64)
    codes = np.where((y > 0) | (y == 0) & (x >= 0), 0, 128)
    for bit in (64, 32, 16, 8, 4, 2, 1):
        further = _ARROWS[codes + bit]
        codes = np.where(further[..., 0] * y - further[..., 1] * x >= 0, codes + bit, codes)
    return np.where((x == 0) & (y == 0), 0, codes).astype(np.uint8)


def _outside(numbers: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    return (numbers > 2**15 - 1) | (numbers < -(2**15))
