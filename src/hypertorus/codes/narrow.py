"""Nested codes: fewer coordinates and fewer bits of codes that there are already, without encoding anything again.

Bits of a torus nest because the grid is the period: `code8 >> (8 - bits)` is the code of `bits` bits. The first
coordinates of a model that was trained with nested prefixes are an embedding by themselves.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes.packing import check_depth


def narrow(
    codes: npt.NDArray[Any], coordinates: int | None = None, bits: int | None = None, *, of_bits: int = 8
) -> npt.NDArray[np.uint8]:
    """Codes [n, dim] of `of_bits` bits cut to their first `coordinates` and to their top `bits` bits.

    >>> narrow(np.array([[255, 128, 64], [3, 70, 200]], np.uint8), coordinates=2, bits=2)
    array([[3, 2],
           [0, 1]], dtype=uint8)
    """
    kept = check_coordinates(coordinates, codes.shape[1])
    depth = check_fewer_bits(bits, of_bits)
    return np.ascontiguousarray(codes[:, :kept] >> np.uint8(of_bits - depth), np.uint8)


def check_coordinates(coordinates: int | None, dim: int) -> int:
    """How many of `dim` coordinates to keep: this many, or all of them."""
    if coordinates is None:
        return dim
    try:
        number = 0 if isinstance(coordinates, bool) else operator.index(coordinates)
    except TypeError:
        number = 0
    if not 1 <= number <= dim:
        raise ValueError(f"coordinates is {coordinates!r}; there are {dim}, so keep 1 to {dim} of them.")
    return number


def check_fewer_bits(bits: int | None, of_bits: int) -> int:
    """How many of `of_bits` bits to keep: this many, or all of them."""
    if bits is None:
        return of_bits
    depth = check_depth(bits)
    if depth > of_bits:
        raise ValueError(f"bits is {bits}, but these codes have {of_bits}; encode the data again for more.")
    return depth
