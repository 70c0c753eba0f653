"""A run of vectors as they are scanned: blocks of codes, their ids and labels, and which of them still count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.files.progress import Progress
from hypertorus.search._library import aligned, call
from hypertorus.search._lookup import Ids, Lookup
from hypertorus.search._rows import Shape

Bitmap = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Segment:
    """The first `count` positions of arrays that may have room for more.

    A segment never changes for those who hold it. The writer puts new vectors beyond `count` and makes a segment
    with a higher count of the same arrays; what is removed loses its bit in a new `allowed` bitmap.
    """

    shape: Shape
    blocks: npt.NDArray[np.uint8]
    ids: Ids  # [capacity]
    labels: Ids | None  # [capacity]
    count: int = 0
    ascending: bool = True
    allowed: Bitmap | None = None  # one bit a position, lowest first; None: all
    live: int = 0
    lookup: Lookup = field(default_factory=Lookup)

    @classmethod
    def empty(cls, shape: Shape, capacity: int, *, labelled: bool) -> Segment:
        labels = np.empty(capacity, np.int64) if labelled else None
        return cls(shape, aligned(shape.block_bytes(capacity)), np.empty(capacity, np.int64), labels)

    @property
    def room(self) -> int:
        return len(self.ids) - self.count

    @property
    def nbytes(self) -> int:
        """Memory of what is in use: codes as stored, ids and labels."""
        per_vector = 8 if self.labels is None else 16
        return self.shape.block_bytes(self.count) + per_vector * self.count

    def find(self, ids: Ids) -> Ids:
        """The position of each id, -1 where it is not in this segment."""
        found = self.lookup.positions(self.ids[: self.count], ids, ascending=self.ascending)
        if self.allowed is not None:
            found[~bits_at(self.allowed, found)] = -1
        return found

    def rows(self, positions: Ids) -> npt.NDArray[np.uint8]:
        """Packed rows [n, width] of these positions."""
        rows = np.empty((len(positions), self.shape.width), np.uint8)
        call("ht_block_get", self.blocks, self.shape.dim, self.shape.bits, positions, len(positions), rows)
        return rows

    def put(self, first: int, rows: npt.NDArray[np.uint8]) -> None:
        """Write packed rows beyond `count`, where no reader looks."""
        call("ht_block_put", self.blocks, self.shape.dim, self.shape.bits, first, rows, len(rows))

    def chosen(self, numbers: Ids) -> Ids:
        """Return the ids or labels whose positions count, without a copy if all do."""
        return numbers[: self.count] if self.allowed is None else numbers[: self.count][self.mask()]

    def positions(self) -> Ids:
        """The positions that count."""
        return np.arange(self.count) if self.allowed is None else np.flatnonzero(self.mask())

    def mask(self) -> npt.NDArray[np.bool_]:
        """Whether each position counts."""
        if self.allowed is None:
            return np.ones(self.count, bool)
        return np.unpackbits(self.allowed, count=self.count, bitorder="little").view(bool)

    def narrowed(self, mask: npt.NDArray[np.bool_]) -> Segment:
        """The same segment of which only the positions in this mask count."""
        return replace(self, allowed=np.packbits(mask, bitorder="little"), live=int(np.count_nonzero(mask)))

    def without(self, positions: Ids) -> tuple[Segment, ...]:
        """Return the segment without these positions; once most are removed, it is copied into less memory."""
        mask = self.mask()
        mask[positions] = False
        left = self.narrowed(mask)
        if left.live == 0:
            return ()
        return (left,) if 2 * left.live >= left.count else (compacted(left),)

    def extended(self, ids: Ids, labels: Ids | None) -> Segment:
        """The segment with the vectors that were put beyond its count."""
        count = self.count + len(ids)
        self.ids[self.count : count] = ids
        if self.labels is not None and labels is not None:
            self.labels[self.count : count] = labels
        joint = self.ids[max(0, self.count - 1) : count]
        ascending = self.ascending and bool(np.all(joint[1:] > joint[:-1]))
        grown = replace(self, count=count, ascending=ascending, live=self.live + len(ids))
        if self.allowed is None:
            return grown
        mask = np.concatenate([self.mask(), np.ones(len(ids), bool)])
        return replace(grown, allowed=np.packbits(mask, bitorder="little"))


class Batch(NamedTuple):
    """Vectors [n, dim] to add, of any type that codes may have, with an id and perhaps a label for each."""

    vectors: Any
    ids: Ids
    labels: Ids | None = None


def appended(
    segments: tuple[Segment, ...], shape: Shape, batch: Batch, progress: Progress | None = None
) -> tuple[Segment, ...]:
    """These segments and new vectors: what fits goes into the room of the last one, the rest into one more.

    A new segment has half as much room as all before it, so there are few of them and nothing is ever moved.
    """
    _, ids, labels = batch
    tail = segments[-1:] if segments and segments[-1].room else ()
    fits = min(len(ids), tail[0].room) if tail else 0
    parts = [(tail[0], 0, fits)] if tail else []
    if fits < len(ids):
        capacity = max(_SMALLEST, len(ids) - fits, sum(segment.count for segment in segments) // 2)
        parts.append((Segment.empty(shape, capacity, labelled=labels is not None), fits, len(ids)))
    for begin, rows in shape.pieces(batch.vectors, "codes"):
        for segment, first, last in parts:
            low, high = max(begin, first), min(begin + len(rows), last)
            if low < high:
                segment.put(segment.count + low - first, rows[low - begin : high - begin])
        if progress:
            progress(begin + len(rows), len(ids))
    extended = (
        segment.extended(ids[first:last], None if labels is None else labels[first:last])
        for segment, first, last in parts
    )
    return (*segments[: len(segments) - len(tail)], *extended)


_SMALLEST = 1024


def live_pieces(segment: Segment, rows_at_once: int) -> Iterator[tuple[npt.NDArray[np.uint8], Ids, Ids | None]]:
    """Packed rows, ids and labels of what counts, in order, a piece at a time."""
    step = max(8, rows_at_once // 8 * 8)
    for first in range(0, segment.count, step):
        last = min(segment.count, first + step)
        positions = np.arange(first, last)
        if segment.allowed is not None:
            positions = positions[bits_at(segment.allowed, positions)]
        labels = None if segment.labels is None else segment.labels[positions]
        yield segment.rows(positions), segment.ids[positions], labels


def compacted(segment: Segment) -> Segment:
    """Return a copy of the positions of a segment that count, in memory of its own."""
    fresh = Segment.empty(segment.shape, segment.live, labelled=segment.labels is not None)
    for rows, ids, labels in live_pieces(segment, max(1, 2**22 // segment.shape.width)):
        fresh.put(fresh.count, rows)
        fresh = fresh.extended(ids, labels)
    return fresh


def bits_at(bitmap: Bitmap, positions: Ids) -> npt.NDArray[np.bool_]:
    """Whether each position has its bit set; those below 0 have none."""
    inside = np.maximum(positions, 0)
    return (positions >= 0) & ((bitmap[inside >> 3] >> (inside & 7)) & 1 == 1)
