"""Cuts the codes of an index to fewer coordinates and bits, a piece at a time; everything else stays as it is."""

from __future__ import annotations

from collections.abc import Sequence

from hypertorus.codes import pack
from hypertorus.codes.narrow import check_coordinates, check_fewer_bits, narrow
from hypertorus.codes.packing import check_bits
from hypertorus.files.progress import Progress
from hypertorus.search._rows import Shape
from hypertorus.search._segment import Segment
from hypertorus.search._state import State


def narrowed_shape(shape: Shape, coordinates: int | None, bits: int | None) -> Shape:
    """The shape that is left of this one."""
    depth = check_fewer_bits(None if bits is None else check_bits(bits), shape.bits)
    return Shape(check_coordinates(coordinates, shape.dim), depth)


def narrowed_state(state: State, shape: Shape, progress: Progress | None) -> State:
    """The same index of a narrower shape, without cells or a coarse part."""
    segments = (_narrowed(state.segments, shape, progress),) if state.live else ()
    return State(segments, state.labelled, state.label_names, state.next_id, state.named)


def _narrowed(segments: Sequence[Segment], shape: Shape, progress: Progress | None) -> Segment:
    """What counts of these segments, in the order of adding, as one plain segment of a narrower shape."""
    first, total = segments[0], sum(segment.live for segment in segments)
    fresh = Segment.empty(shape, total, labelled=first.labels is not None, named=first.names is not None)
    step = max(1, _NUMBERS_AT_ONCE // first.shape.dim)
    for segment in segments:
        added = segment.positions()
        for positions in (added[begin : begin + step] for begin in range(0, len(added), step)):
            codes = segment.shape.unpacked(segment.rows(positions))
            fresh.put(fresh.count, pack(narrow(codes, shape.dim, shape.bits, of_bits=segment.shape.bits), shape.bits))
            fresh = fresh.extended(
                segment.ids[positions],
                None if segment.labels is None else segment.labels[positions],
                None if segment.names is None else segment.names.at(positions),
            )
            if progress:
                progress(fresh.count, total)
    return fresh


_NUMBERS_AT_ONCE = 2**22
