"""Keeps the segments of an index few and full however often it changes, at a cost that the changes pay for.

A search takes time for every segment and every position, so after a change

* a segment of which more than half is removed is copied into less memory, which as many removals have paid for,
* neighbours that together are smaller than the smallest new segment are made one, and
* if there are still more segments than the logarithm of the vectors allows, the two neighbours with the fewest vectors
  are made one. A vector thus moves once whenever what it lies in has doubled.

A big segment, such as that of an opened file, stays where it is until most of it is removed, and so does one that is
arranged in cells, whatever its size.
"""

from __future__ import annotations

from itertools import pairwise
from math import inf

from hypertorus.search._segment import SMALLEST, Segment, merged


def tidied(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    """The same vectors in the same order, in few segments of which at least half counts."""
    parts = [segment for segment in segments if segment.live]
    total = sum(segment.live for segment in parts)
    for place, segment in enumerate(parts):
        if 2 * segment.live < segment.count:
            parts[place] = _joined(parts, place, place + 1, total)
    while len(parts) > 1:
        pairs = [_size(before) + _size(after) for before, after in pairwise(parts)]
        place = pairs.index(min(pairs))
        if pairs[place] == inf or (pairs[place] > SMALLEST and len(parts) <= _most_segments(total)):
            break
        parts[place : place + 2] = [_joined(parts, place, place + 2, total)]
    return tuple(parts)


def _size(segment: Segment) -> float:
    return segment.live if segment.cells is None else inf


def _joined(parts: list[Segment], first: int, last: int, total: int) -> Segment:
    """One segment of several, with room for more if it is the one that grows."""
    live = sum(segment.live for segment in parts[first:last])
    room = max(SMALLEST, total // 2) if last == len(parts) else 0
    return merged(parts[first:last], live + room)


def _most_segments(total: int) -> int:
    return 8 + 2 * (total // SMALLEST).bit_length()
