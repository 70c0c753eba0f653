"""What an index knows of ids at one moment: their codes, labels and names."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.search._ids import Ids
from hypertorus.search._names import string_array
from hypertorus.search._neighbours import Neighbours
from hypertorus.search._rows import Shape
from hypertorus.search._state import State, located


def rows_of(state: State, shape: Shape, wanted: Ids) -> npt.NDArray[np.uint8]:
    """Packed rows [n, width] of these ids."""
    rows = np.empty((len(wanted), shape.width), np.uint8)
    for segment, places, positions in located(state, wanted):
        rows[places] = segment.rows(positions)
    return rows


def label_numbers_of(state: State, wanted: Ids) -> Ids:
    """Labels as they are stored: those that are strings as the numbers of their names."""
    if not state.labelled:
        raise ValueError("this index has no labels; give them to add, for all codes: index.add(codes, labels=...).")
    numbers = np.empty(len(wanted), np.int64)
    for segment, places, positions in located(state, wanted):
        if segment.labels is not None:
            numbers[places] = segment.labels[positions]
    return numbers


def labels_of(state: State, wanted: Ids) -> npt.NDArray[Any]:
    numbers = label_numbers_of(state, wanted)
    return numbers if state.label_names is None else state.label_names.labels(numbers)


def names_of(state: State, wanted: Ids) -> list[str]:
    if not state.named:
        raise ValueError("this index has no names; give them to add, for all codes: index.add(codes, names=...).")
    names = [""] * len(wanted)
    for segment, places, positions in located(state, wanted):
        if segment.names is not None:
            for place, name in zip(places.tolist(), segment.names.at(positions), strict=True):
                names[place] = name
    return names


def name_array(state: State, wanted: Ids) -> npt.NDArray[Any]:
    return string_array(names_of(state, wanted), len(wanted))


def with_columns(found: Neighbours, state: State) -> Neighbours:
    """Neighbours that know where to look their labels and names up."""
    if state.labelled:
        found.label_column = partial(labels_of, state)
    if state.named:
        found.name_column = partial(name_array, state)
    return found
