"""An index at one moment: its segments, and what can be asked of all of them together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.search._ids import LARGEST_ID, Ids, LabelNames, check_ids
from hypertorus.search._segment import Segment
from hypertorus.spaces._arrays import to_numpy


@dataclass(frozen=True)
class State:
    """A snapshot of an index, which readers work on while a writer changes the index."""

    segments: tuple[Segment, ...] = ()
    labelled: bool = False
    names: LabelNames | None = None
    next_id: int = 0

    @property
    def live(self) -> int:
        return sum(segment.live for segment in self.segments)


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


def narrowed(state: State, where: Any) -> list[Segment]:
    given = np.asarray(to_numpy(where))
    masks = [np.zeros(segment.count, bool) for segment in state.segments]
    if given.dtype == bool:
        if given.shape != (state.live,):
            raise ValueError(
                f"where is a mask of shape {given.shape}; the index has {state.live} ids, so pass that many."
            )
        begin = 0
        for segment, mask in zip(state.segments, masks, strict=True):
            mask[segment.positions()] = given[begin : begin + segment.live]
            begin += segment.live
    else:
        for (_, _, positions), mask in zip(located(state, check_ids(given)), masks, strict=True):
            mask[positions] = True
    return [segment.narrowed(mask) for segment, mask in zip(state.segments, masks, strict=True) if mask.any()]


def new_ids(state: State, given: Ids | None, count: int) -> Ids:
    if given is None:
        if state.next_id + count - 1 > LARGEST_ID:
            raise ValueError(f"ids would continue from {state.next_id}, beyond 2^63 - 1; pass ids of your own.")
        return np.arange(state.next_id, state.next_id + count)
    if given.min() < state.next_id:
        for segment in state.segments:
            there = segment.find(given) >= 0
            if there.any():
                raise ValueError(f"ids holds {given[there][0]}, which is in the index already; remove it first.")
    return given


def check_labelled(state: State, labels: npt.NDArray[Any] | None) -> None:
    if not state.segments:
        return
    if state.labelled != (labels is not None):
        raise ValueError(
            "labels are missing, but the codes in the index have some; pass one for each code."
            if labels is None
            else "labels were given, but the codes in the index have none; label all codes or none."
        )
    if labels is not None and (labels.dtype.kind == "U") != (state.names is not None):
        there, given = ("strings", "numbers") if state.names is not None else ("numbers", "strings")
        raise ValueError(f"labels are {given}, but the index has {there}; pass {there}.")
