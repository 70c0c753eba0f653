"""Strings of an index: the names of its codes, a column of each segment, and the names of its labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.files.names import RowNames
from hypertorus.search._lookup import Ids


class NameList:
    """Names of a segment that grows: those beyond the count of a segment are not there for its readers."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._names = list(names)

    def put(self, first: int, names: Sequence[str]) -> None:
        """Write names from this position on, beyond what any reader looks at."""
        self._names[first:] = names

    def at(self, positions: Ids) -> list[str]:
        names = self._names
        return [names[position] for position in positions.tolist()]

    def take(self, positions: Ids) -> RowNames:
        return RowNames.of(self.at(positions))


Names = NameList | RowNames
"""The column of names: of a file it stays mapped, and what was added is a list."""


def string_array(strings: Sequence[str], count: int) -> npt.NDArray[Any]:
    """Strings as numpy has them, for an array of `count` of them; as objects if one is so long that all would be."""
    longest = max(map(len, strings), default=0)
    wide = 4 * longest * count > _WIDE and longest * len(strings) > 16 * sum(map(len, strings))
    return np.array(strings, np.object_ if wide else np.str_)


_WIDE = 2**26


class LabelNames:
    """Names of labels that were given as strings; a label is stored as the number of its name.

    Names are only ever added, so readers need no lock. An index and its copy share them until one of both adds to them.
    """

    def __init__(self, names: RowNames | Sequence[str] = ()) -> None:
        self._stored = names if isinstance(names, RowNames) else None  # until all of them are needed
        self._names = [] if isinstance(names, RowNames) else list(names)
        self._numbers: dict[str, int] | None = None
        self.shared = False

    def __len__(self) -> int:
        stored, names = self._stored, self._names
        return len(names) if stored is None else len(stored)

    def numbered(self, labels: Sequence[str]) -> tuple[Ids, list[str]]:
        """The number of each label's name, and the names that are new and not yet added."""
        known, after = self._known(), len(self)
        fresh = dict.fromkeys(label for label in labels if label not in known)
        numbers = {name: after + place for place, name in enumerate(fresh)}
        all_numbers = (known[label] if label in known else numbers[label] for label in labels)
        return np.fromiter(all_numbers, np.int64, len(labels)), list(fresh)

    def grown(self, fresh: list[str]) -> LabelNames:
        """These and more names: the same object, unless others hold it and would grow as well."""
        if not fresh:
            return self
        known = self._known()
        if self.shared:
            return LabelNames([*self._names, *fresh])
        after = len(self._names)
        self._names.extend(fresh)
        known.update({name: after + place for place, name in enumerate(fresh)})
        return self

    def labels(self, numbers: Ids) -> npt.NDArray[Any]:
        """The name of each number."""
        distinct, places = np.unique(numbers, return_inverse=True)
        return string_array(self.at(distinct), len(numbers))[places]

    def at(self, numbers: Ids) -> list[str]:
        stored, names = self._stored, self._names  # in this order: the list is whole before the other goes
        return [names[number] for number in numbers.tolist()] if stored is None else stored.at(numbers)

    def take(self, numbers: Ids) -> RowNames:
        stored = self._stored
        return RowNames.of(self.at(numbers)) if stored is None else stored.take(numbers)

    def _known(self) -> dict[str, int]:
        if self._stored is not None:
            self._names = self._stored.tolist()
            self._stored = None
        if self._numbers is None:
            self._numbers = {name: number for number, name in enumerate(self._names)}
        return self._numbers
