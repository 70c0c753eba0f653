"""An index at one moment: its segments, and what can be asked of all of them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.search._coarse import CoarseFacts
from hypertorus.search._ids import LARGEST_ID, Ids, check_ids
from hypertorus.search._names import LabelNames
from hypertorus.search._rows import check_unmasked, is_masked
from hypertorus.search._segment import Segment
from hypertorus.search._tidy import tidied
from hypertorus.spaces._arrays import to_numpy


@dataclass(frozen=True)
class State:
    """A snapshot of an index, which readers work on while a writer changes the index."""

    segments: tuple[Segment, ...] = ()
    labelled: bool = False
    label_names: LabelNames | None = None
    """The names of labels that are strings."""
    next_id: int = 0
    named: bool = False
    """Whether each code has a name."""
    version: int = 0
    """How many changes have led to it."""
    arranged: bool = False
    """Whether codes are to lie in cells, once there are enough outside of them to be worth arranging."""
    coarse: CoarseFacts | None = None
    """The coarse part that codes have, those to come included."""

    @property
    def live(self) -> int:
        return sum(segment.live for segment in self.segments)


def tidied_state(state: State) -> State:
    """The same index in few segments, without the names of labels once most of them are in no use."""
    segments, names = tidied(state.segments), state.label_names
    if names is not None and len(names) > 2 * state.live + _NAMES_KEPT:
        used = used_labels(segments, len(names))
        new_numbers = np.cumsum(used) - 1
        segments = tuple(_relabelled(segment, new_numbers) for segment in segments)
        names = LabelNames(names.at(np.flatnonzero(used)))
    return replace(state, segments=segments, label_names=names)


_NAMES_KEPT = 1024


def used_labels(segments: Sequence[Segment], count: int) -> npt.NDArray[np.bool_]:
    """Whether each of `count` names of labels is that of a code."""
    used = np.zeros(count, bool)
    for segment in segments:
        if segment.labels is not None:
            used[segment.chosen(segment.labels)] = True
    return used


def _relabelled(segment: Segment, new_numbers: Ids) -> Segment:
    if segment.labels is None:
        return segment
    labels = np.empty(len(segment.labels), np.int64)
    labels[: segment.count] = new_numbers[segment.labels[: segment.count]]
    return replace(segment, labels=labels)


def joined(parts: list[Ids]) -> Ids:
    """One array of several, not to be written to; of a single one uncopied."""
    whole = parts[0].view() if len(parts) == 1 else np.concatenate([np.empty(0, np.int64), *parts])
    whole.flags.writeable = False
    return whole


def located(state: State, wanted: Ids) -> list[tuple[Segment, npt.NDArray[np.intp], Ids]]:
    """For each segment which of the wanted ids it holds, and at which positions."""
    found, missing = [], np.ones(len(wanted), bool)
    for segment in state.segments:
        positions = segment.find(wanted)
        places = np.flatnonzero(positions >= 0)
        found.append((segment, places, positions[places]))
        missing[places] = False
    if missing.any():
        raise ValueError(f"ids holds {wanted[missing][0]}, which is not in the index; index.ids lists those that are.")
    return found


def known_ids(state: State, wanted: Ids) -> npt.NDArray[np.bool_]:
    """Whether each of these ids is in the index."""
    known = np.zeros(len(wanted), bool)
    for segment in state.segments:
        known |= segment.find(wanted) >= 0
    return known


def few_ids(where: Any) -> Ids | None:
    """The ids to look among if they are few and come as numpy or Python has them, so that they need no preparation."""
    if isinstance(where, list) and len(where) < _FEW_IDS:
        where = np.array(where)
    plain = type(where) is np.ndarray and where.dtype == np.int64 and where.ndim == 1 and where.flags.c_contiguous
    return where if plain and 0 < len(where) < _FEW_IDS else None


_FEW_IDS = 1024


def narrowed(state: State, where: Any) -> list[Segment]:
    """What a search among some ids looks at.

    A few vectors of a big segment are copied into a small one, so that few ids cost little; of other segments there are
    masks.
    """
    parts: list[Segment] = []
    few: list[tuple[Segment, Ids]] = []
    for segment, positions in _wanted(state, where):
        if len(positions) * _FEW_OF <= segment.count:
            few.append((segment, positions))
        else:
            mask = np.zeros(segment.count, bool)
            mask[positions] = True
            parts.append(segment.narrowed(mask))
    if sum(len(positions) for _, positions in few):
        parts.append(_gathered(few))
    return parts


_FEW_OF = 256  # copying a vector takes as long as the bits of so many in a mask


def _wanted(state: State, where: Any) -> Iterator[tuple[Segment, Ids]]:
    """The positions of each segment that a mask or ids ask for, no two alike."""
    if is_masked(where) and where.dtype == bool:
        where = where.filled(fill_value=False)
    check_unmasked(where, "where")
    given = np.asarray(to_numpy(where))
    if given.dtype != bool:
        for segment, _, positions in located(state, np.unique(check_ids(given))):
            yield segment, positions
        return
    if given.shape != (state.live,):
        raise ValueError(f"where is a mask of shape {given.shape}; the index has {state.live} ids, so pass that many.")
    begin = 0
    for segment in state.segments:
        yield segment, segment.selected(given[begin : begin + segment.live])
        begin += segment.live


def _gathered(few: list[tuple[Segment, Ids]]) -> Segment:
    """These positions as one segment in the order of their ids, which is what ties go by."""
    ids = np.concatenate([segment.ids[positions] for segment, positions in few])
    rows = np.concatenate([segment.rows(positions) for segment, positions in few])
    order = np.argsort(ids)
    fresh = Segment.empty(few[0][0].shape, len(ids), labelled=False)
    fresh.put(0, rows[order])
    return fresh.extended(ids[order], None)


def new_ids(state: State, given: Ids | None, count: int) -> Ids:
    if given is None:
        if state.next_id + count - 1 > LARGEST_ID:
            raise ValueError(f"ids would continue from {state.next_id}, beyond 2^63 - 1; pass ids of your own.")
        return state.next_id + np.arange(count)  # `arange` itself makes floats of an end beyond int64
    if given.min() < state.next_id:
        for segment in state.segments:
            there = segment.find(given) >= 0
            if there.any():
                raise ValueError(f"ids holds {given[there][0]}, which is in the index already; remove it first.")
    return given


def check_labelled(state: State, labels: Ids | list[str] | None) -> None:
    if not state.segments:
        return
    if state.labelled != (labels is not None):
        raise ValueError(
            "labels are missing, but the codes in the index have some; pass one for each code."
            if labels is None
            else "labels were given, but the codes in the index have none; label all codes or none."
        )
    if labels is not None and isinstance(labels, list) != (state.label_names is not None):
        there, given = ("strings", "numbers") if state.label_names is not None else ("numbers", "strings")
        raise ValueError(f"labels are {given}, but the index has {there}; pass {there}.")


def check_named(state: State, names: list[str] | None) -> None:
    if state.segments and state.named != (names is not None):
        there = "has names" if state.named else "has no names"
        raise ValueError(f"this index {there}; names are for all of its codes or for none.")
