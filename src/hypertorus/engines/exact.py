"""Our own index as an engine: exact, by a plain scan or in cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hypertorus.engines.folder import Facts
from hypertorus.engines.protocol import Engine, enter
from hypertorus.files.progress import Progress
from hypertorus.search import Index, Neighbours
from hypertorus.search._rows import Shape

FILE = "codes.index"


class Exact(Engine):
    """An `Index` that looks at all codes, the fastest at batches of codes without clusters.

    >>> engine = Exact.build(np.array([[0, 0], [250, 3], [128, 128]]), metric="l1")
    >>> engine.search(np.array([[253, 1]]), k=2)
    Neighbours(ids=array([[0, 1]]), distances=array([[4, 5]], dtype=uint32))
    """

    name = "exact"
    package = "hypertorus"
    files = (FILE,)

    def __init__(self, index: Index) -> None:
        super().__init__(Shape(index.dim, index.bits), index.metric)
        self.index = index

    @classmethod
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
        index = index_of(codes, ids, bits=bits, metric=metric)
        cls._prepare(index, threads, progress)
        return cls(index)

    @staticmethod
    def _prepare(index: Index, threads: int | None, progress: Progress | None) -> None:
        """Lay the codes out for the search; a scan takes them as they are."""

    def vectors(self, ids: Any) -> npt.NDArray[np.uint8]:
        """The codes of these ids, [n, dim]."""
        return self.index.vectors(ids)

    def __len__(self) -> int:
        return len(self.index)

    def _nearest(self, queries: npt.NDArray[np.uint8], k: int, effort: int | None, threads: int) -> Neighbours:
        assert effort is None
        return self.index.search(self.shape.unpacked(queries) if self.bits < 8 else queries, k, threads=threads)

    def _write(self, folder: Path) -> None:
        self.index.save(folder / FILE)

    @classmethod
    def _read(cls, folder: Path, facts: Facts, *, mmap: bool) -> Self:
        return cls(open_index(folder, facts, mmap=mmap))


class ExactCells(Exact):
    """An `Index` arranged in cells: as exact, and the fastest where codes form clusters."""

    name = "exact-cells"

    @staticmethod
    def _prepare(index: Index, threads: int | None, progress: Progress | None) -> None:
        index.arrange(threads=threads, progress=progress)


def index_of(codes: Any, ids: Any, *, bits: int, metric: str) -> Index:
    """Return an index of these codes."""
    entry = enter(codes, ids, bits, metric)
    index = Index(entry.shape.dim, bits=entry.shape.bits, metric=metric)
    index.add(entry.shape.unpacked(entry.rows) if bits < 8 else entry.rows, entry.ids)
    return index


def open_index(folder: Path, facts: Facts, *, mmap: bool) -> Index:
    """Return the index in an engine's folder, once it is clear that it is the one `engine.json` describes."""
    index = Index.open(folder / FILE, verify=False, mmap=mmap)  # its bytes have been checked already
    if (index.dim, index.bits, index.metric, len(index)) != (facts.dim, facts.bits, facts.metric, facts.count):
        raise ValueError(f"{folder / FILE} is {index}, which is not what engine.json says; save the engine again.")
    return index
