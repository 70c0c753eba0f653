"""How many bits each coordinate of a plain code has, and where they lie in its nibbles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

STEPS = (np.inf, 1.596, 0.996, 0.586, 0.335)
"""Width of the cells of the best even grid of 0 to 4 bits for normal numbers, in standard deviations."""
DISTORTIONS = (1.0, 0.363, 0.119, 0.037, 0.0115)
"""Share of the variance that is lost to such a grid."""
MOST = 4
"""Bits that a coordinate has at most, so that it lies within a nibble."""

Bits = npt.NDArray[np.int64]


def shared_bits(variances: npt.NDArray[np.floating], nibbles: int) -> Bits:
    """Return the bits of each coordinate, given one by one to where they save most of the variance.

    >>> shared_bits(np.array([16.0, 4.0, 1.0, 0.1]), nibbles=2)
    array([4, 3, 1, 0])
    """
    savings = np.outer(variances, -np.diff(DISTORTIONS))
    bits = np.zeros(len(variances), np.int64)
    counts = [0] * (MOST + 1)
    while True:
        saved = np.where(bits < MOST, savings[np.arange(len(bits)), np.minimum(bits, MOST - 1)], 0)
        for one in np.argsort(-saved, kind="stable"):
            after = counts.copy()
            after[bits[one]] -= 1
            after[min(bits[one] + 1, MOST)] += 1
            if saved[one] <= 0 or _nibbles(after) <= nibbles:
                break
        else:
            return bits
        if saved[one] <= 0:
            return bits
        bits[one] += 1
        counts = after


def _nibbles(counts: Sequence[int]) -> int:
    """Return how many nibbles hold this many coordinates of 0, 1, 2, 3 and 4 bits: ones go beside threes first."""
    _, ones, twos, threes, fours = counts
    return fours + threes + -(-(2 * twos + max(0, ones - threes)) // 4)


def nibble_order(bits: Bits) -> npt.NDArray[np.int64]:
    """Return the coordinates that have bits in an order in which each next one fits into the nibble or begins another.

    >>> nibble_order(np.array([3, 2, 1, 0, 2, 4]))
    array([5, 0, 2, 1, 4])
    """
    ones, twos, threes, fours = (np.flatnonzero(bits == each).tolist() for each in (1, 2, 3, 4))
    order = fours
    for three in threes:
        order += [three, *ones[:1]]
        ones = ones[1:]
    return np.array([*order, *twos, *ones], np.int64)


def places(bits: Sequence[int] | Bits) -> tuple[Bits, Bits]:
    """Return the nibble of each coordinate in this order, and its lowest bit within the nibble.

    >>> places([3, 1, 2, 2, 1])
    (array([0, 0, 1, 1, 2]), array([0, 3, 0, 2, 0]))
    """
    nibble, used, placed = 0, 0, []
    for each in bits:
        if used + each > MOST:
            nibble, used = nibble + 1, 0
        placed.append((nibble, used))
        used += int(each)
    nibbles, shifts = np.array(placed, np.int64).reshape(-1, 2).T
    return nibbles, shifts
