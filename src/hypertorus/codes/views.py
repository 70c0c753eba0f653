"""The three views of codes that other engines search: bit strings, points of int8 and points of float16.

An engine that has no wrapped difference searches one of these instead. The points are those of the middle of each
code's arc, so that float points of the same model may be compared with them too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes.hamming import check_hamming_bits, hamming
from hypertorus.codes.narrow import narrow
from hypertorus.codes.packing import check_depth
from hypertorus.codes.protocol import Codes, check_codes


def hamming_view(codes: npt.NDArray[Any], bits: int = 2, *, of_bits: int = 8) -> Codes:
    """Codes [n, dim] of `of_bits` bits as packed bits [n, bytes] whose Hamming distance is the l1 of their top bits.

    The codes are cut to their top `bits` bits, 1 to 4, each of which becomes 2^(bits-1) bits of the view, as `hamming`
    lays them out. At 1 and 2 bits the view is as large as the packed codes.

    >>> hamming_view(np.array([[0, 64, 128, 192]], np.uint8))
    array([[180]], dtype=uint8)
    """
    return hamming(narrow(_enter(codes, of_bits), bits=check_hamming_bits(bits), of_bits=of_bits), bits)


def int8_points(codes: npt.NDArray[Any], bits: int = 8) -> npt.NDArray[np.int8]:
    """Codes [n, dim] as points [n, 2 dim] of int8, (round(127 cos), round(127 sin)) of each coordinate in turn.

    For engines with vectors of signed bytes, by their cosine, inner product or l2.

    >>> int8_points(np.array([[0, 64, 128]], np.uint8))
    array([[ 127,    2,   -2,  127, -127,   -2]], dtype=int8)
    """
    circle = np.rint(127 * _circle(check_depth(bits))).astype(np.int8)
    return _along(circle, _enter(codes, bits))


def half_points(codes: npt.NDArray[Any], bits: int = 8) -> npt.NDArray[np.float16]:
    """Codes [n, dim] as points [n, 2 dim] of unit norm in float16, (cos, sin) of each coordinate in turn.

    For engines with vectors of half precision, by their cosine, inner product or l2.

    >>> half_points(np.array([[0, 64, 128, 192]], np.uint8), bits=8)[0, :4]
    array([ 0.5     ,  0.006134, -0.006134,  0.5     ], dtype=float16)
    """
    check_depth(bits)
    array = _enter(codes, bits)
    circle = (_circle(bits) / math.sqrt(max(1, array.shape[1]))).astype(np.float16)
    return _along(circle, array)


def _circle(bits: int) -> npt.NDArray[np.float64]:
    """Cosine and sine [2^bits, 2] of the middle of every arc."""
    angles = (np.arange(2**bits) + 0.5) * (math.tau / 2**bits)
    return np.stack((np.cos(angles), np.sin(angles)), axis=1)


def _along(circle: npt.NDArray[Any], codes: Codes) -> npt.NDArray[Any]:
    return circle[codes].reshape(len(codes), 2 * codes.shape[1])


def _enter(codes: Any, bits: int) -> Codes:
    array = np.asarray(codes)
    return check_codes(array, array.shape[1] if array.ndim == 2 else 0, check_depth(bits))
