"""Few-shot episodes: for some classes, a few rows with their labels are the support set and others are queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Episode(NamedTuple):
    """Positions of the support rows and of the query rows."""

    support: Positions
    query: Positions


@dataclass(frozen=True)
class Episodes:
    """Draws episodes from rows with these labels [n].

    Without `ways`, an episode has all classes, with `shots` support rows of each, and all other rows are queries; a
    class with no more rows than that is all support. With `ways`, it has this many classes, drawn from those that have
    rows left for queries, and up to `queries` queries of each.

    Rows of one group, such as clips of one recording, are too alike for one to be a query when another is support. So
    every shot of a class comes from another group, and the other rows of a support group, in any class, are left out.
    `one_per_group=True` also takes at most one query from each group in a class. Without `groups` every row is a group
    of its own.

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
        for name, smallest in least.items():
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < smallest):
                raise ValueError(f"{name} is {value!r}; it must be a whole number of at least {smallest}.")
        if len(np.unique(self.labels)) < 2:
            raise ValueError("labels has one class only; any guess would be right, so nothing can be measured.")
        if self.groups is None and self.one_per_group:
            raise ValueError("one_per_group is set, but there are no groups; pass the group of each row.")
        if self.groups is not None and self.groups.shape != self.labels.shape:
            raise ValueError(
                f"there are {len(self.labels)} labels but groups of shape {self.groups.shape}; give each row one."
            )

    def draw(self, count: int, seed: int = 0) -> Iterator[Episode]:
        """Yield this many episodes, the same for the same seed."""
        if count < 1:
            raise ValueError(f"episodes is {count}; draw at least one.")
        rng = np.random.default_rng(seed)
        classes = np.unique(self.labels, return_inverse=True)[1]
        groups = np.arange(len(classes)) if self.groups is None else np.unique(self.groups, return_inverse=True)[1]
        members = np.split(np.argsort(classes, kind="stable"), np.cumsum(np.bincount(classes))[:-1])
        large = self._large_classes(members, groups)
        for _ in range(count):
            numbers = range(len(members)) if self.ways is None else rng.choice(large, self.ways, replace=False)
            episode = self._draw(np.concatenate([members[number] for number in numbers]), classes, groups, rng)
            if len(episode.query) == 0:
                raise ValueError(
                    "an episode has no row left for a query, because all rows are of support groups; take fewer shots."
                )
            yield episode

    def _large_classes(self, members: list[Positions], groups: Positions) -> list[int]:
        """Return the classes that have more groups than shots."""
        large = [number for number, rows in enumerate(members) if len(np.unique(groups[rows])) > self.shots]
        if len(large) < (self.ways or 1):
            needed = self.ways or 1
            unit = "rows" if self.groups is None else "groups"
            raise ValueError(
                f"shots is {self.shots}, and {len(large)} classes have more {unit} than that; "
                f"an episode needs at least {needed}, so take fewer shots{' or ways' if self.ways else ''}."
            )
        return large

    def _draw(self, rows: Positions, classes: Positions, groups: Positions, rng: np.random.Generator) -> Episode:
        # Class by class, its groups in random order, and the rows of each group in random order.
        rank = rng.random(len(groups))[groups[rows]]
        rows = rows[np.lexsort((rng.random(len(rows)), rank, classes[rows]))]
        new_class = _changes(classes[rows])
        new_group = new_class | _changes(groups[rows])
        within_shots = _count(new_group, new_class) < self.shots
        support = rows[within_shots & new_group]
        is_query = ~np.isin(groups[rows], groups[support])
        if self.one_per_group:
            is_query &= new_group
        query = rows[is_query]
        return Episode(support, query if self.ways is None else self._sample(query, classes, rng))

    def _sample(self, query: Positions, classes: Positions, rng: np.random.Generator) -> Positions:
        """Return up to `queries` random rows of each class."""
        query = query[np.lexsort((rng.random(len(query)), classes[query]))]
        return query[_count(np.ones(len(query), bool), _changes(classes[query])) < self.queries]


def _changes(values: Positions) -> Flags:
    """Return where a value differs from the one before it; the first always does."""
    return np.diff(values, prepend=-1) != 0


def _count(events: Flags, starts: Flags) -> Positions:
    """Return the number of events since the last start, without the event at the start itself."""
    total = np.cumsum(events)
    return total - np.maximum.accumulate(np.where(starts, total, 0))
