"""What commands print of neighbours: distances with the digits they need, a row for each neighbour, and the vote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

MOST_DIGITS = 6
"""Digits after the point, at most."""


def distances_as_text(distances: Sequence[float]) -> list[str]:
    """Return distances as they are printed: whole numbers whole, others with the digits that tell them apart.

    >>> distances_as_text([12, 15])
    ['12', '15']
    >>> distances_as_text([0.0, 0.12, 0.1204])
    ['0.0000', '0.1200', '0.1204']
    >>> distances_as_text([0.0, 0.00001])
    ['0.00000', '0.00001']
    """
    if all(isinstance(distance, int) for distance in distances):
        return [str(distance) for distance in distances]
    different = len({round(distance, MOST_DIGITS) for distance in distances})
    digits = next(
        digits
        for digits in range(3, MOST_DIGITS + 1)
        if digits == MOST_DIGITS or len({round(distance, digits) for distance in distances}) == different
    )
    return [f"{distance:.{digits}f}" for distance in distances]


def vote(labels: Sequence[Any]) -> str | None:
    """Return what most neighbours are, of those nearest first; the nearest decides a tie. None without labels.

    >>> vote(["owl", "jay", "jay"])
    'Vote: jay, 2 of 3.'
    """
    known = [label for label in labels if label not in ("", -1)]
    if not known:
        return None
    label, count = Counter(known).most_common(1)[0]  # of equal counts, the one that came first
    return f"Vote: {label}, {count} of {len(labels)}."
