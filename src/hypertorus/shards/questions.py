"""What is asked of every shard: the nearest codes, those within a radius, or what is known of some ids.

A question is a function of a shard, and so it is what engines map over the shards; it holds the queries, is pickled
once or with every task as the engine does it, and knows how two answers become one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from hypertorus.search import Index, Neighbours
from hypertorus.search._heaps import sorted_neighbours
from hypertorus.search._neighbours import NO_DISTANCE, NO_ID
from hypertorus.shards.shard import MissingShard, OpenShard, ShardSource, open_shard

Ids = npt.NDArray[np.int64]
Part = TypeVar("Part")


@dataclass(frozen=True, eq=False)
class Answer(Generic[Part]):
    """What one shard has to say, or several together."""

    part: Part
    known: npt.NDArray[np.bool_] | None = None
    """Which of the ids that were asked about are there."""


class Question(ABC, Generic[Part]):
    """A function of a shard whose answers can be merged in any order."""

    ids: Ids | None
    """The ids that are asked about or searched among, in ascending order; None for all."""

    def __call__(self, source: ShardSource) -> Answer[Part] | MissingShard:
        return self.of(open_shard(source))

    def of(self, shard: OpenShard | MissingShard) -> Answer[Part] | MissingShard:
        """Return the answer of a shard that is open."""
        if isinstance(shard, MissingShard):
            return shard
        known = None if self.ids is None else shard.index.has(self.ids)
        return Answer(self._part(shard.index, known), known)

    def merged(self, answers: Sequence[Answer[Part]]) -> Answer[Part]:
        """Return several answers as one, the same in whatever order they come."""
        known = [answer.known for answer in answers if answer.known is not None]
        return Answer(self._merged([answer.part for answer in answers]), np.any(known, axis=0) if known else None)

    @abstractmethod
    def nothing(self) -> Answer[Part]:
        """Return the answer of no shard."""

    @abstractmethod
    def _part(self, index: Index, known: npt.NDArray[np.bool_] | None) -> Part: ...

    @abstractmethod
    def _merged(self, parts: Sequence[Part]) -> Part: ...

    def _among(self, known: npt.NDArray[np.bool_] | None) -> Ids | None:
        return None if self.ids is None or known is None else self.ids[known]

    def _no_ids(self) -> npt.NDArray[np.bool_] | None:
        return None if self.ids is None else np.zeros(len(self.ids), bool)


@dataclass(frozen=True, eq=False)
class Nearest(Question[Neighbours]):
    """The k nearest codes of each query."""

    queries: npt.NDArray[Any]
    k: int
    ids: Ids | None = None
    threads: int | None = None
    asymmetric: bool = False

    def nothing(self) -> Answer[Neighbours]:
        shape = len(self.queries), self.k
        ids, distances = np.full(shape, NO_ID, np.int64), np.full(shape, NO_DISTANCE, np.uint32)
        return Answer(Neighbours(ids, distances, asymmetric=self.asymmetric), self._no_ids())

    def _part(self, index: Index, known: npt.NDArray[np.bool_] | None) -> Neighbours:
        among = self._among(known)
        if among is not None and not len(among):
            return self.nothing().part
        k = min(self.k, len(index))  # no more than that is sent back
        found = index.search(self.queries, k, among, self.threads)
        return Neighbours(found.ids, found.distances, asymmetric=found.asymmetric)

    def _merged(self, parts: Sequence[Neighbours]) -> Neighbours:
        ids = np.concatenate([part.ids for part in parts], axis=1)
        distances = np.concatenate([part.distances for part in parts], axis=1)
        # As unsigned numbers, ids of no neighbour, which are -1, come after all others.
        order = np.lexsort((ids.view(np.uint64), distances), axis=1)[:, : self.k]
        nearest: Ids = np.take_along_axis(ids, order, axis=1)
        return Neighbours(nearest, np.take_along_axis(distances, order, axis=1), asymmetric=self.asymmetric)


@dataclass(frozen=True, eq=False)
class Within(Question[list[Neighbours]]):
    """All codes of each query that are no further than a radius."""

    queries: npt.NDArray[Any]
    radius: int
    ids: Ids | None = None
    threads: int | None = None
    asymmetric: bool = False

    def nothing(self) -> Answer[list[Neighbours]]:
        empty = [
            Neighbours(np.empty(0, np.int64), np.empty(0, np.uint32), asymmetric=self.asymmetric) for _ in self.queries
        ]
        return Answer(empty, self._no_ids())

    def _part(self, index: Index, known: npt.NDArray[np.bool_] | None) -> list[Neighbours]:
        among = self._among(known)
        if among is not None and not len(among):
            return self.nothing().part
        found = index.within(self.queries, self.radius, among, self.threads)
        return [Neighbours(each.ids, each.distances, asymmetric=each.asymmetric) for each in found]

    def _merged(self, parts: Sequence[list[Neighbours]]) -> list[Neighbours]:
        joined = [sorted_neighbours(list(of_query)) for of_query in zip(*parts, strict=True)]
        return [replace(each, asymmetric=self.asymmetric) for each in joined]


Columns = list[tuple[npt.NDArray[np.bool_], npt.NDArray[Any]]]
"""Which of the ids that were asked about a shard has, and the value of each of these."""


@dataclass(frozen=True, eq=False)
class LookUp(Question[Columns]):
    """What is known of some ids: their `vectors`, `labels_of` or `names_of`, as the index calls them."""

    what: str
    ids: Ids

    def nothing(self) -> Answer[Columns]:
        return Answer([], self._no_ids())

    def _part(self, index: Index, known: npt.NDArray[np.bool_] | None) -> Columns:
        own = self._among(known)
        return [] if known is None or own is None or not len(own) else [(known, getattr(index, self.what)(own))]

    def _merged(self, parts: Sequence[Columns]) -> Columns:
        return [column for part in parts for column in part]
