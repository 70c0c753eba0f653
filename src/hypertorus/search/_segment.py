"""A run of vectors as they are scanned: blocks of codes, their ids, labels and names, and which of them still count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.files.progress import Progress
from hypertorus.search._cells import Cells
from hypertorus.search._coarse import Coarse, CoarseFacts
from hypertorus.search._library import aligned, call
from hypertorus.search._lookup import Ids, Lookup
from hypertorus.search._names import NameList, Names
from hypertorus.search._pages import Pages
from hypertorus.search._rows import Shape

SMALLEST = 1024
"""The least room of a new segment: fewer vectors are not worth a segment of their own."""


@dataclass(frozen=True)
class Segment:
    """The first `count` positions of arrays that may have room for more.

    A segment never changes for those who hold it. The writer puts new vectors beyond `count` and makes a segment
    with a higher count of the same arrays; what is removed loses its bit in new pages of `allowed`.
    """

    shape: Shape
    blocks: npt.NDArray[np.uint8]
    ids: Ids  # [capacity]
    labels: Ids | None = None  # [capacity]
    names: Names | None = None
    count: int = 0
    ascending: bool = True
    allowed: Pages | None = None  # None: all
    live: int = 0
    lookup: Lookup = field(default_factory=Lookup)
    cells: Cells | None = None
    """Cells that the first positions lie in; those beyond were added since."""
    coarse: Coarse | None = None

    @classmethod
    def empty(
        cls, shape: Shape, capacity: int, *, labelled: bool, named: bool = False, coarse: CoarseFacts | None = None
    ) -> Segment:
        labels = np.empty(capacity, np.int64) if labelled else None
        names = NameList() if named else None
        blocks, ids = aligned(shape.block_bytes(capacity)), np.empty(capacity, np.int64)
        strips = None if coarse is None else Coarse.empty(coarse, capacity)
        return cls(shape, blocks, ids, labels, names, coarse=strips)

    @property
    def room(self) -> int:
        return len(self.ids) - self.count

    @property
    def allowed_pages(self) -> npt.NDArray[np.uintp] | None:
        """The addresses of the pages that say which positions count, for the native core; None: all do."""
        return None if self.allowed is None else self.allowed.addresses

    @property
    def nbytes(self) -> int:
        """Memory of what is in use: codes as stored, ids, labels, cells and the coarse part."""
        per_vector = 8 if self.labels is None else 16
        cells = 0 if self.cells is None else self.cells.nbytes
        coarse = 0 if self.coarse is None else self.coarse.facts.block_bytes(self.count)
        return self.shape.block_bytes(self.count) + per_vector * self.count + cells + coarse

    @property
    def outside(self) -> int:
        """How many codes lie in no cell, removed ones included."""
        return self.count if self.cells is None else self.count - self.cells.count

    @property
    def share(self) -> float:
        """The share of its codes that a query looks at."""
        if self.cells is None:
            return 1.0
        return (self.cells.share * self.cells.count + self.outside) / self.count

    @property
    def cost(self) -> int:
        """Bytes that a query is compared with, in cells few of many."""
        if self.cells is None or not self.cells.pays:
            return self.nbytes
        return int(self.share * self.nbytes) + self.cells.centres.nbytes

    def find(self, ids: Ids) -> Ids:
        """The position of each id, -1 where it is not in this segment."""
        found = self.lookup.positions(self.ids[: self.count], ids, ascending=self.ascending)
        if self.allowed is not None:
            found[~self.allowed.at(found)] = -1
        return found

    def rows(self, positions: Ids) -> npt.NDArray[np.uint8]:
        """Packed rows [n, width] of these positions."""
        rows = np.empty((len(positions), self.shape.width), np.uint8)
        call("ht_block_get", self.blocks, self.shape.dim, self.shape.bits, positions, len(positions), rows)
        return rows

    def put(self, first: int, rows: npt.NDArray[np.uint8]) -> None:
        """Write packed rows beyond `count`, where no reader looks."""
        call("ht_block_put", self.blocks, self.shape.dim, self.shape.bits, first, rows, len(rows))
        if self.coarse is not None:
            self.coarse.put(self.shape, first, rows)

    def chosen(self, numbers: Ids) -> Ids:
        """Return the ids or labels whose positions count, in the order of adding, without a copy if all do."""
        if self.cells is not None:
            return numbers[self.positions()]
        return numbers[: self.count] if self.allowed is None else numbers[: self.count][self.mask()]

    def positions(self) -> Ids:
        """The positions that count, in the order in which they were added."""
        if self.cells is None:
            return np.arange(self.count) if self.allowed is None else np.flatnonzero(self.mask())
        added = np.concatenate([self.cells.order.astype(np.int64), np.arange(self.cells.count, self.count)])
        return added if self.allowed is None else added[self.allowed.at(added)]

    def selected(self, wanted: npt.NDArray[np.bool_]) -> Ids:
        """The positions for which this mask of those that count, in the order of adding, is true."""
        places = np.flatnonzero(wanted)
        return places if self.allowed is None and self.cells is None else self.positions()[places]

    def pieces(self, step: int) -> Iterator[Ids]:
        """The positions that count, in the order in which they are stored, of `step` positions at a time."""
        step = max(8, step // 8 * 8)
        for first in range(0, self.count, step):
            positions = np.arange(first, min(self.count, first + step))
            yield positions if self.allowed is None else positions[self.allowed.at(positions)]

    def mask(self) -> npt.NDArray[np.bool_]:
        """Whether each position counts."""
        return np.ones(self.count, bool) if self.allowed is None else self.allowed.mask(self.count)

    def narrowed(self, mask: npt.NDArray[np.bool_]) -> Segment:
        """The same segment of which only the positions in this mask count; it is for searching, not for growing."""
        return replace(self, allowed=Pages.of(mask), live=int(np.count_nonzero(mask)))

    def without(self, positions: Ids) -> Segment:
        """The segment without these positions, all of which count and no two of which are alike."""
        allowed = Pages.full(self.count) if self.allowed is None else self.allowed
        return replace(self, allowed=allowed.without(positions), live=self.live - len(positions))

    def full(self) -> Segment:
        """The same segment without its room, so that who holds it never writes to the arrays of another."""
        labels = None if self.labels is None else self.labels[: self.count]
        return replace(self, ids=self.ids[: self.count], labels=labels)

    def extended(self, ids: Ids, labels: Ids | None, names: Sequence[str] | None = None) -> Segment:
        """The segment with the vectors that were put beyond its count."""
        count = self.count + len(ids)
        self.ids[self.count : count] = ids
        if self.labels is not None and labels is not None:
            self.labels[self.count : count] = labels
        if isinstance(self.names, NameList) and names is not None:
            self.names.put(self.count, names)
        joint = self.ids[max(0, self.count - 1) : count]
        ascending = self.ascending and bool(np.all(joint[1:] > joint[:-1]))
        allowed = None if self.allowed is None else self.allowed.extended(count)
        return replace(self, count=count, ascending=ascending, allowed=allowed, live=self.live + len(ids))


class Batch(NamedTuple):
    """Vectors [n, dim] to add, of any type that codes may have, with an id and perhaps a label and a name for each."""

    vectors: Any
    ids: Ids
    labels: Ids | None = None
    names: Sequence[str] | None = None


def appended(
    segments: tuple[Segment, ...],
    shape: Shape,
    batch: Batch,
    progress: Progress | None = None,
    coarse: CoarseFacts | None = None,
) -> tuple[Segment, ...]:
    """These segments and new vectors: what fits goes into the room of the last one, the rest into one more.

    A new segment has half as much room as all before it, so there are few of them and nothing is moved; it has a coarse
    part if the index has one.
    """
    _, ids, labels, names = batch
    tail = segments[-1:] if segments and segments[-1].room else ()
    fits = min(len(ids), tail[0].room) if tail else 0
    parts = [(tail[0], 0, fits)] if tail else []
    if fits < len(ids):
        capacity = max(SMALLEST, len(ids) - fits, sum(segment.count for segment in segments) // 2)
        fresh = Segment.empty(shape, capacity, labelled=labels is not None, named=names is not None, coarse=coarse)
        parts.append((fresh, fits, len(ids)))
    for begin, rows in shape.pieces(batch.vectors, "codes"):
        for segment, first, last in parts:
            low, high = max(begin, first), min(begin + len(rows), last)
            if low < high:
                segment.put(segment.count + low - first, rows[low - begin : high - begin])
        if progress:
            progress(begin + len(rows), len(ids))
    extended = (
        segment.extended(
            ids[first:last],
            None if labels is None else labels[first:last],
            None if names is None else names[first:last],
        )
        for segment, first, last in parts
    )
    return (*segments[: len(segments) - len(tail)], *extended)


def stored(rows: npt.NDArray[np.uint8], shape: Shape) -> Segment:
    """Packed rows as a segment without room, each under its number."""
    segment = Segment.empty(shape, len(rows), labelled=False)
    segment.put(0, rows)
    return segment.extended(np.arange(len(rows)), None)


def merged(segments: Sequence[Segment], capacity: int) -> Segment:
    """A copy of what counts of these segments, in the order of adding, in memory of its own and without cells."""
    shape, labelled = segments[0].shape, segments[0].labels is not None
    coarse = None if segments[0].coarse is None else segments[0].coarse.facts
    fresh = Segment.empty(shape, capacity, labelled=labelled, named=segments[0].names is not None, coarse=coarse)
    for segment in segments:
        step = max(1, 2**22 // shape.width)
        added = segment.positions()
        for positions in (added[begin : begin + step] for begin in range(0, len(added), step)):
            fresh.put(fresh.count, segment.rows(positions))
            fresh = fresh.extended(
                segment.ids[positions],
                None if segment.labels is None else segment.labels[positions],
                None if segment.names is None else segment.names.at(positions),
            )
    return fresh
