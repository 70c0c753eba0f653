"""Few-shot episodes: of some classes, a few rows are shown with their labels and others are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Episode(NamedTuple):
    """Positions of the rows that are shown and of those that are asked for."""

    support: Positions
    query: Positions


@dataclass(frozen=True)
class Episodes:
    """How to draw episodes from rows of these labels [n].

    Without `ways`, an episode has all classes, `shots` rows of each are shown, and all others are asked for; a class
    that has no more rows than that shows all. With `ways`, it has so many classes, drawn from those that have rows left
    to ask for, and up to `queries` queries of each.

    Rows of one group, such as clips of one recording, are too alike to ask for one when another was shown. So every
    shot of a class is of another group, and what else a group that was shown has, in any class, is left out.
    `one_per_group=True` also asks for no more than one row of each group in a class. Without `groups` every row is a
    group of its own.

    >>> labels = np.array([0, 0, 0, 1, 1, 1])
    >>> recordings = np.array([7, 7, 8, 9, 10, 10])
    >>> [episode] = Episodes(labels, recordings, shots=1).draw(1, seed=0)
    >>> labels[episode.support]
    array([0, 1])
    >>> bool(np.isin(recordings[episode.query], recordings[episode.support]).any())
    False
    """

    labels: npt.NDArray[Any]
    groups: npt.NDArray[Any] | None = None
    shots: int = 1
    ways: int | None = None
    queries: int = 15
    one_per_group: bool = False

    def __post_init__(self) -> None:
        least = {"shots": 1, "ways": 2, "queries": 1}
        for what, smallest in least.items():
            value = getattr(self, what)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < smallest):
                raise ValueError(f"{what} is {value!r}; it must be a whole number of at least {smallest}.")
        if len(np.unique(self.labels)) < 2:
            raise ValueError("labels has one class only; any guess would be right, so nothing can be measured.")
        if self.groups is None and self.one_per_group:
            raise ValueError("one_per_group is set, but there are no groups; pass the group of each row.")
        if self.groups is not None and self.groups.shape != self.labels.shape:
            raise ValueError(
                f"there are {len(self.labels)} labels but groups of shape {self.groups.shape}; give each row one."
            )

    def draw(self, count: int, seed: int = 0) -> Iterator[Episode]:
        """So many episodes, the same for the same seed."""
        if count < 1:
            raise ValueError(f"episodes is {count}; draw at least one.")
        rng = np.random.default_rng(seed)
        classes = np.unique(self.labels, return_inverse=True)[1]
        groups = np.arange(len(classes)) if self.groups is None else np.unique(self.groups, return_inverse=True)[1]
        members = np.split(np.argsort(classes, kind="stable"), np.cumsum(np.bincount(classes))[:-1])
        askable = self._askable(members, groups)
        for _ in range(count):
            chosen = range(len(members)) if self.ways is None else rng.choice(askable, self.ways, replace=False)
            episode = self._draw(np.concatenate([members[number] for number in chosen]), classes, groups, rng)
            if len(episode.query) == 0:
                raise ValueError(
                    "an episode has no row to ask for, for all are of groups that were shown; take fewer shots."
                )
            yield episode

    def _askable(self, members: list[Positions], groups: Positions) -> list[int]:
        """The classes that have more groups than are shown."""
        large = [number for number, rows in enumerate(members) if len(np.unique(groups[rows])) > self.shots]
        if len(large) < (self.ways or 1):
            wanted = "some rows" if self.ways is None else f"{self.ways} ways"
            unit = "rows" if self.groups is None else "groups"
            raise ValueError(
                f"shots is {self.shots}, and {len(large)} classes have more {unit} than that; "
                f"there must be {wanted} to ask for, so take fewer."
            )
        return large

    def _draw(self, rows: Positions, classes: Positions, groups: Positions, rng: np.random.Generator) -> Episode:
        # Class by class, its groups in an order of chance, and the rows of each group in an order of chance.
        rank = rng.random(len(groups))[groups[rows]]
        rows = rows[np.lexsort((rng.random(len(rows)), rank, classes[rows]))]
        new_class = _changes(classes[rows])
        new_group = new_class | _changes(groups[rows])
        shown = _count(new_group, new_class) < self.shots
        support = rows[shown & new_group]
        asked = ~np.isin(groups[rows], groups[support])
        if self.one_per_group:
            asked &= new_group
        query = rows[asked]
        return Episode(support, query if self.ways is None else self._few(query, classes, rng))

    def _few(self, query: Positions, classes: Positions, rng: np.random.Generator) -> Positions:
        """Up to `queries` of each class, by chance."""
        query = query[np.lexsort((rng.random(len(query)), classes[query]))]
        return query[_count(np.ones(len(query), bool), _changes(classes[query])) < self.queries]


def _changes(values: Positions) -> Flags:
    """Where a value differs from the one before it; the first always does."""
    return np.diff(values, prepend=-1) != 0


def _count(events: Flags, starts: Flags) -> Positions:
    """How many events there were since the last start, the one that came with it not counted."""
    total = np.cumsum(events)
    return total - np.maximum.accumulate(np.where(starts, total, 0))
