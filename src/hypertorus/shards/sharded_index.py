"""The sharded index: many index files that are searched as one, by any number of workers."""

from __future__ import annotations

import functools
import os
from builtins import map as map_here
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hypertorus.codes.grid import turns_in_range
from hypertorus.embeddings import Embeddings
from hypertorus.files.progress import Progress
from hypertorus.files.threads import thread_count
from hypertorus.search import Neighbours
from hypertorus.search._asked import check_count, check_radius
from hypertorus.search._asymmetric import is_asymmetric
from hypertorus.search._ids import check_ids
from hypertorus.search._record import queries_for
from hypertorus.search._rows import Shape
from hypertorus.shards.asking import ShardMap, ask
from hypertorus.shards.build import add_shards, build_shards
from hypertorus.shards.manifest import Manifest, Shard
from hypertorus.shards.pieces import pieces_of
from hypertorus.shards.place import Place, place_of
from hypertorus.shards.questions import Ids, LookUp, Nearest, Within
from hypertorus.shards.shard import MissingShard, ShardSource


@dataclass(eq=False)
class ShardedNeighbours(Neighbours):
    """Neighbours in a sharded index; those of a partial search say which shards are missing from it."""

    missing: tuple[MissingShard, ...] = field(default=(), repr=False)


class ShardedIndex:
    """Codes in many index files, the shards, in a folder or under a URL, with a manifest that lists them.

    Think of one `Index` of all codes that is never in memory as a whole: `search` and `within` return the same ids and
    distances, bit for bit, however the codes are cut into shards and whoever searches these. `map` decides who does:
    anything that is called as `map(question, shards)` and returns the answers in any order. The built-in `map` searches
    the shards one after the other in this process, `ProcessMap` in processes of this machine, and `DaskMap` on a
    cluster.

    >>> import tempfile
    >>> codes = np.array([[0, 0], [250, 3], [128, 128]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = ShardedIndex.build(codes, f"{folder}/owls", shards=2, metric="l1")
    ...     print(len(index), len(index.shards))
    ...     index.search(np.array([[253, 1]]), k=2)
    3 2
    ShardedNeighbours(ids=array([[0, 1]]), distances=array([[4, 5]], dtype=uint32))
    """

    def __init__(self, place: Place, manifest: Manifest, shard_map: ShardMap, *, verify: bool) -> None:
        self.place, self.manifest, self._map, self._verify = place, manifest, shard_map, verify
        self._shape = Shape(manifest.dim, manifest.bits)

    @classmethod
    def open(cls, path: str | os.PathLike[str], map: ShardMap = map_here, *, verify: bool = True) -> Self:  # noqa: A002
        """Open a sharded index in a folder, or under a URL as fsspec has them, of which the manifest is read here.

        Shards are opened where they are searched, when they are first searched, and stay open there; `verify` checks
        all of a shard against its checksums then. Shards under a URL are kept in the cache of the machine that opens
        them, `~/.cache/hypertorus/shards` or under $XDG_CACHE_HOME.
        """
        place = place_of(path)
        return cls(place, place.manifest(), map, verify=verify)

    @classmethod
    def build(
        cls,
        vectors: Any,
        path: str | os.PathLike[str],
        shards: int,
        *,
        bits: int | None = None,
        metric: str | None = None,
        ids: Any = None,
        labels: Any = None,
        names: Any = None,
        arrange: bool = False,
        force: bool = False,
        progress: Progress | None = None,
    ) -> Self:
        """Cut codes into shards of equal size, write them, and return the index of them.

        `vectors` are codes or turns [n, dim], in memory or mapped from a file, or `Embeddings`; other arguments are
        those of `Index.add`. They are read a piece at a time, and one shard is in memory at once. `arrange` arranges
        each shard in cells. Until all is written there is no manifest and so no index, and what `force` replaces stays.
        """
        pieces = pieces_of(vectors, ids, labels, names)
        build_shards(place_of(path), pieces, shards, bits, metric, arrange=arrange, force=force, progress=progress)
        return cls.open(path)

    def add(
        self,
        vectors: Any,
        *,
        shards: int | None = None,
        ids: Any = None,
        labels: Any = None,
        names: Any = None,
        arrange: bool = False,
        progress: Progress | None = None,
    ) -> None:
        """Write more codes as new shards, by default as few as make none larger than those there are.

        Shards that exist are not touched, and whoever has the index open goes on with what was there; ids must be new.
        """
        pieces = pieces_of(vectors, ids, labels, names)
        self.manifest = add_shards(self.place, pieces, shards, arrange=arrange, progress=progress)

    @property
    def dim(self) -> int:
        return self.manifest.dim

    @property
    def bits(self) -> int:
        return self.manifest.bits

    @property
    def metric(self) -> str:
        return self.manifest.metric

    @property
    def model(self) -> str | None:
        return self.manifest.model

    @property
    def shards(self) -> tuple[Shard, ...]:
        """The shards as the manifest lists them."""
        return self.manifest.shards

    def __len__(self) -> int:
        return self.manifest.count

    def __repr__(self) -> str:
        shape = f"dim={self.dim}, bits={self.bits}, metric={self.metric!r}"
        return f"ShardedIndex({shape}) of {len(self):,} codes in {len(self.shards):,} shards of {self.place}"

    def search(
        self,
        queries: Any,
        k: int = 10,
        where: Any = None,
        threads: int | None = None,
        progress: Progress | None = None,
        *,
        partial: bool = False,
    ) -> ShardedNeighbours:
        """The k nearest codes of each query [m, dim], as `Index.search` returns them: exact, ties by the lower id.

        `where` are the ids to look among. A shard that is missing, damaged or of another model is an error that names
        it; with `partial=True` the others answer, and the result lists it in `missing`. `threads` are those of each
        shard's scan, unless given as many as the map leaves to it.
        """
        k = check_count(k, "k")
        among, parts, missing = self._ids(where), [], set[MissingShard]()
        given, asymmetric = self._queries(queries)
        for begin, piece in _batches(given):
            question = Nearest(piece, k, among, self._threads(threads), asymmetric)
            step = _scaled(progress, begin, len(piece), len(given))
            answer, lost = ask(question, self._sources(), self._map, partial=partial, progress=step)
            parts.append(answer.part)
            missing.update(lost)
        ids, distances = (np.concatenate([getattr(part, name) for part in parts]) for name in ("ids", "distances"))
        return self._with_columns(Neighbours(ids, distances, asymmetric=asymmetric), missing)

    def within(
        self, queries: Any, radius: int, where: Any = None, threads: int | None = None, *, partial: bool = False
    ) -> list[ShardedNeighbours]:
        """For each query [m, dim] all codes no further than `radius`, as `Index.within` returns them."""
        largest, among, missing = check_radius(radius), self._ids(where), set[MissingShard]()
        given, asymmetric = self._queries(queries)
        found: list[Neighbours] = []
        for _, piece in _batches(given):
            question = Within(piece, largest, among, self._threads(threads), asymmetric)
            answer, lost = ask(question, self._sources(), self._map, partial=partial)
            found += answer.part
            missing.update(lost)
        return [self._with_columns(each, missing) for each in found]

    def vectors(self, ids: Any) -> npt.NDArray[np.uint8]:
        """The codes of these ids, one number a coordinate, [n, dim]."""
        return self._look_up("vectors", ids)

    def labels_of(self, ids: Any) -> npt.NDArray[Any]:
        """The labels of these ids, [n]."""
        if self.manifest.labels == "no":
            raise ValueError("this index has no labels; give them when the shards are built, for all codes.")
        return self._look_up("labels_of", ids)

    def names_of(self, ids: Any) -> npt.NDArray[Any]:
        """The names of these ids, [n]."""
        if not self.manifest.names:
            raise ValueError("this index has no names; give them when the shards are built, for all codes.")
        return self._look_up("names_of", ids)

    def _look_up(self, what: str, ids: Any, *, partial: bool = False) -> npt.NDArray[Any]:
        wanted = check_ids(ids)
        distinct, places = np.unique(wanted, return_inverse=True)
        answer, _ = ask(LookUp(what, distinct), self._sources(), self._map, partial=partial)
        if not answer.part:
            return np.empty((0, self.dim), np.uint8) if what == "vectors" else np.empty(0, np.str_)
        values = np.concatenate([values for _, values in answer.part])
        order = np.concatenate([np.flatnonzero(known) for known, _ in answer.part])
        return values[np.argsort(order)][places]

    def _sources(self) -> list[ShardSource]:
        return ShardSource.all_of(self.manifest, self.place.url, verify=self._verify)

    def _threads(self, threads: int | None) -> int | None:
        return getattr(self._map, "threads", None) if threads is None else thread_count(threads)

    def _ids(self, where: Any) -> Ids | None:
        if where is None:
            return None
        if str(getattr(where, "dtype", "")).endswith("bool"):
            raise TypeError("where is a mask, but a sharded index does not know its ids by heart; pass ids.")
        return np.unique(check_ids(where))

    def _queries(self, queries: Any) -> tuple[npt.NDArray[Any], bool]:
        """Queries as plain arrays that every shard takes, and whether they are turns that need not be rounded."""
        given = queries_for(queries, self) if isinstance(queries, Embeddings) else queries
        if is_asymmetric(given, self._shape):
            return turns_in_range(given, "queries", 0), True
        return self._shape.unpacked(self._shape.packed(given, "queries")), False

    def _with_columns(self, found: Neighbours, missing: set[MissingShard]) -> ShardedNeighbours:
        lost, partial = tuple(sorted(missing, key=lambda shard: shard.name)), bool(missing)
        labels = names = None
        if self.manifest.labels != "no":
            labels = functools.partial(self._look_up, "labels_of", partial=partial)
        if self.manifest.names:
            names = functools.partial(self._look_up, "names_of", partial=partial)
        return ShardedNeighbours(found.ids, found.distances, labels, names, asymmetric=found.asymmetric, missing=lost)


def _batches(queries: npt.NDArray[Any]) -> Iterator[tuple[int, npt.NDArray[Any]]]:
    for begin in range(0, len(queries), _QUERIES_AT_ONCE):
        yield begin, queries[begin : begin + _QUERIES_AT_ONCE]


_QUERIES_AT_ONCE = 4096


def _scaled(progress: Progress | None, begin: int, size: int, total: int) -> Progress | None:
    """Progress of a batch of queries as that of all of them."""
    if progress is None:
        return None
    report = progress
    return lambda done, shards: report(begin * shards + size * done, total * shards)
