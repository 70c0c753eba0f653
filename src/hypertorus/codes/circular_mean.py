"""The circular mean of codes in integers alone, as a processor without floating point takes it.

An example adds the cosine and sine of its codes, from a table of 256, to a sum for each coordinate. The mean is the
code nearest to the direction of that sum, found one bit after the other by the sign of a cross product.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes.packing import check_depth
from hypertorus.codes.protocol import Codes, check_codes

Arrows = npt.NDArray[np.int64]


def circular_mean(codes: npt.NDArray[np.integer], bits: int = 8) -> Codes:
    """The code [dim] of the mean direction of codes [n, dim].

    It is the code nearest to the float circular mean, but for the rounding of the table: with R the length of the mean
    of unit vectors, it is at most 1/2 + 2^(bits-8) 0.002 (1 + 1/R) codes away. Of two neighbours it is the upper. Where
    the codes cancel, R is 0 and there is no mean; it is then code 0.

    >>> circular_mean(np.array([[250, 0], [10, 64]], np.uint8))
    array([ 2, 32], dtype=uint8)
    """
    codes = np.asarray(codes)
    codes = check_codes(codes, codes.shape[1] if codes.ndim == 2 else 0, check_depth(bits))
    if len(codes) == 0:
        raise ValueError(f"codes has shape {codes.shape}, which is empty; a mean needs at least one row.")
    return nearest_code(arrows(codes, bits).sum(axis=0), bits)


def arrows(codes: Codes, bits: int) -> Arrows:
    """Codes [...] as cosine and sine [..., 2], in units of 2^-14; int32 holds the sum of 131,071 of them."""
    return _ARROWS[codes << (8 - bits)]


def nearest_code(sums: Arrows, bits: int) -> Codes:
    """The code [...] nearest to the direction of sums of arrows [..., 2]; 0 where a sum is 0."""
    edges = _edges(bits)
    first, along = _cross(edges[0], sums), _dot(edges[0], sums)
    code = np.where((first > 0) | (first == 0) & (along > 0), 0, 2 ** (bits - 1))
    for bit in reversed(range(bits - 1)):
        # The direction is less than 2^(bit + 1) codes on from the edge of `code`, so that the next bit is one sign.
        further = code + 2**bit
        code = np.where(_cross(edges[further], sums) >= 0, further, code)
    return np.where(sums.any(axis=-1), code, 0).astype(np.uint8)


def _cross(edge: Arrows, sums: Arrows) -> Arrows:
    return edge[..., 0] * sums[..., 1] - edge[..., 1] * sums[..., 0]


def _dot(edge: Arrows, sums: Arrows) -> Arrows:
    return edge[..., 0] * sums[..., 0] + edge[..., 1] * sums[..., 1]


def _edges(bits: int) -> Arrows:
    """Where each code begins, half a code before it: the bisector of it and its neighbour, which needs no finer table.

    The two codes of 1 bit are opposite and have none, so there it is that of the directions half as far.
    """
    step = 2 ** (8 - bits)
    edges, reach = (2 * np.arange(2**bits) - 1) * step, min(step, 64)  # both in halves of an 8-bit code
    return _ARROWS[(edges - reach) // 2 % 256] + _ARROWS[(edges + reach) // 2 % 256]


def _table() -> Arrows:
    """round(2^14 cos) and round(2^14 sin) of every 8-bit code: the cosines are 2^14 less the table of the metric."""
    angles = 2 * np.pi * np.arange(256)[:, None] / 256 - np.array([0, np.pi / 2])
    table: npt.NDArray[Any] = np.rint(2**14 * np.cos(angles))
    return table.astype(np.int64)


_ARROWS = _table()
