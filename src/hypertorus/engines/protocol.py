"""What every engine can do: be built of codes, be searched, be saved to a folder and opened from it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hypertorus.embeddings import Embeddings
from hypertorus.engines.folder import Facts, read_folder, write_folder
from hypertorus.files.progress import Progress
from hypertorus.files.threads import thread_count
from hypertorus.search import Neighbours
from hypertorus.search._asked import check_count
from hypertorus.search._functions import shape_of
from hypertorus.search._ids import Ids, check_ids
from hypertorus.search._library import metric_number
from hypertorus.search._rows import Shape


class Engine(ABC):
    """Codes under ids in a search engine, compared by our metric; built once, then searched by any number of threads.

    Codes and queries are what an `Index` takes, checked and packed before the engine sees them: one integer a
    coordinate, turns, which are rounded, or `Embeddings`. Distances are those of `Index.search`, whole numbers, ties by
    the lower id; what an approximate engine may do is miss a neighbour.
    """

    name: ClassVar[str]
    package: ClassVar[str]
    """The package that does the work, as pip names it."""
    files: ClassVar[tuple[str, ...]]
    """What a saved engine consists of, besides `engine.json`."""
    efforts: ClassVar[tuple[int, ...]] = ()
    """Settings of `effort` from fast to good; none where a search is exact."""

    def __init__(self, shape: Shape, metric: str) -> None:
        metric_number(metric)
        self.shape, self.metric = shape, metric

    @property
    def dim(self) -> int:
        return self.shape.dim

    @property
    def bits(self) -> int:
        return self.shape.bits

    @classmethod
    @abstractmethod
    def build(
        cls,
        codes: Any,
        ids: Any = None,
        *,
        bits: int = 8,
        metric: str = "cosine",
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Return an engine of codes [n, dim] of `bits` bits, under these ids or their row numbers."""

    def search(self, queries: Any, k: int = 10, *, effort: int | None = None, threads: int | None = None) -> Neighbours:
        """The k nearest codes of each query [m, dim] that the engine finds.

        `effort` trades time for recall, and each engine says what it counts; `threads` is all cores unless given.
        """
        if isinstance(queries, Embeddings):
            queries = queries.codes(self.bits)
        rows, k = self.shape.packed(queries, "queries"), check_count(k, "k")
        if effort is not None and not self.efforts:
            raise ValueError(f"effort is {effort!r}, but {self.name} searches exactly; leave it out.")
        most = None if effort is None else check_count(effort, "effort")
        return self._nearest(rows, k, most, thread_count(threads))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the engine to a folder, which is replaced completely or not at all."""
        facts = Facts(self.name, self.package, self.dim, self.bits, self.metric, len(self), self._options())
        write_folder(Path(folder), facts, self._write)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, mmap: bool = True) -> Self:
        """Return the engine in a folder, after checking its files against their checksums.

        With `mmap`, files are mapped into memory where the engine can do that; otherwise they are read.
        """
        path = Path(folder)
        facts = read_folder(path, cls.name, cls.files)
        opened = cls._read(path, facts, mmap=mmap)
        if len(opened) != facts.count:
            raise ValueError(
                f"{path} holds {len(opened)} codes, and its engine.json says {facts.count}; save the engine again."
            )
        return opened

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def _nearest(self, queries: npt.NDArray[np.uint8], k: int, effort: int | None, threads: int) -> Neighbours:
        """The neighbours of packed queries."""

    @abstractmethod
    def _write(self, folder: Path) -> None:
        """Write `files` into an empty folder."""

    @classmethod
    @abstractmethod
    def _read(cls, folder: Path, facts: Facts, *, mmap: bool) -> Self:
        """Return the engine of `files`, which have the right checksums."""

    def _options(self) -> Mapping[str, int]:
        """How the engine was built, to be written down and given back to `_read`."""
        return {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}(dim={self.dim}, bits={self.bits}, metric={self.metric!r}) of {len(self):,} codes"


class Entry(NamedTuple):
    """Codes that were checked: their shape, packed rows [n, width], and ids [n]."""

    shape: Shape
    rows: npt.NDArray[np.uint8]
    ids: Ids


def enter(codes: Any, ids: Any, bits: int, metric: str) -> Entry:
    """Check what an engine is built of."""
    metric_number(metric)
    if isinstance(codes, Embeddings):
        codes = codes.codes(bits)
    shape = shape_of(codes, "codes", bits)
    rows = shape.packed(codes, "codes")
    return Entry(shape, rows, np.arange(len(rows)) if ids is None else check_ids(ids, len(rows)))
