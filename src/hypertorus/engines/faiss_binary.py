"""faiss: binary indexes on the Hamming view of the codes' top bits, which propose; our metric then decides.

The Hamming distance of the view is the l1 distance of the top bits, so what faiss finds is near; the whole codes are
kept beside it in an index of ours, and the candidates are reranked by them. For l1 on codes that have no more bits than
the view, the flat index is exact: its candidates are already in order, but for ties.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hypertorus.codes import hamming_view
from hypertorus.engines.exact import FILE as CODES
from hypertorus.engines.exact import index_of, open_index
from hypertorus.engines.folder import Facts
from hypertorus.engines.protocol import Engine
from hypertorus.engines.reranking import rerank
from hypertorus.files.extras import require
from hypertorus.files.progress import Progress
from hypertorus.files.threads import thread_count
from hypertorus.search import Index, Neighbours
from hypertorus.search._rows import Shape

require("faiss", extra="engines")

import faiss  # noqa: E402

FILE = "view.faiss"
_AT_ONCE = 50_000
_CODES_A_CELL = 39
"""With fewer, faiss warns that its cells are too many."""


class FaissBinary(Engine):
    """A binary index of faiss under our ids (`IndexBinaryIDMap`), and an `Index` of the whole codes."""

    package = "faiss-cpu"
    files = (FILE, CODES)

    def __init__(self, index: Index, view: Any, view_bits: int) -> None:
        super().__init__(Shape(index.dim, index.bits), index.metric)
        self.index, self.view, self.view_bits = index, view, view_bits

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
        view_bits: int | None = None,
    ) -> Self:
        """Return an engine whose view has the top `view_bits` bits of each coordinate, 2 or what the codes have."""
        index = index_of(codes, ids, bits=bits, metric=metric)
        depth = min(2, index.bits) if view_bits is None else view_bits
        own = index.ids
        first = hamming_view(index.vectors(own[:1]), depth, of_bits=index.bits)
        view = faiss.IndexBinaryIDMap(faiss.index_binary_factory(8 * first.shape[1], cls._recipe(len(own))))
        with _threads(thread_count(threads)):
            if not view.is_trained:
                sample = np.random.default_rng(0).choice(own, min(len(own), _AT_ONCE), replace=False)
                view.train(hamming_view(index.vectors(sample), depth, of_bits=index.bits))
            for begin in range(0, len(own), _AT_ONCE):
                part = own[begin : begin + _AT_ONCE]
                view.add_with_ids(hamming_view(index.vectors(part), depth, of_bits=index.bits), part)
                if progress:
                    progress(begin + len(part), len(own))
        return cls(index, view, depth)

    @staticmethod
    @abstractmethod
    def _recipe(count: int) -> str:
        """What faiss calls the index, as its factory takes it."""

    @abstractmethod
    def _asked(self, effort: int | None, k: int) -> tuple[int, Any]:
        """How many candidates to ask for, and the parameters of the search."""

    def vectors(self, ids: Any) -> npt.NDArray[np.uint8]:
        """The codes of these ids, [n, dim]."""
        return self.index.vectors(ids)

    def __len__(self) -> int:
        return int(self.view.ntotal)

    def _nearest(self, queries: npt.NDArray[np.uint8], k: int, effort: int | None, threads: int) -> Neighbours:
        codes = self.shape.unpacked(queries) if self.bits < 8 else queries
        bits = hamming_view(codes, self.view_bits, of_bits=self.bits)
        candidates, parameters = self._asked(effort, k)
        with _threads(threads):
            _, ids = self.view.search(bits, min(candidates, len(self)), params=parameters)
        return rerank(self.index, codes, ids, k)

    def _write(self, folder: Path) -> None:
        faiss.write_index_binary(self.view, str(folder / FILE))
        self.index.save(folder / CODES)

    @classmethod
    def _read(cls, folder: Path, facts: Facts, *, mmap: bool) -> Self:
        index, view_bits = open_index(folder, facts, mmap=mmap), facts.options.get("view_bits", 0)
        view = faiss.read_index_binary(str(folder / FILE))
        width = hamming_view(np.zeros((1, facts.dim), np.uint8), view_bits, of_bits=facts.bits).shape[1]
        if not isinstance(view, faiss.IndexBinaryIDMap) or view.d != 8 * width:
            raise ValueError(f"{folder / FILE} is not the view that engine.json describes; save the engine again.")
        return cls(index, view, view_bits)

    def _options(self) -> Mapping[str, int]:
        return {"view_bits": self.view_bits}


class FaissFlat(FaissBinary):
    """All views are compared. `effort` is how many candidates are reranked, 100 unless given.

    >>> engine = FaissFlat.build(np.array([[0, 0], [250, 3], [128, 128]]), ids=[7, 2**40, 9], metric="l1")
    >>> engine.search(np.array([[253, 1]]), k=2)
    Neighbours(ids=array([[            7, 1099511627776]]), distances=array([[4, 5]], dtype=uint32))
    """

    name = "faiss-flat"
    efforts = (10, 30, 100, 300, 1000, 3000)

    @staticmethod
    def _recipe(count: int) -> str:  # noqa: ARG004
        return "BFlat"

    def _asked(self, effort: int | None, k: int) -> tuple[int, Any]:
        return max(k, effort or 100), None


class FaissCells(FaissBinary):
    """Views in 2 sqrt(n) cells (IVF), fewer if codes are few.

    `effort` is how many cells are looked at, 8 unless given; 300 candidates, or 10 k if that is more, are reranked.
    """

    name = "faiss-ivf"
    efforts = (1, 2, 4, 8, 16, 32, 64, 128)

    @staticmethod
    def _recipe(count: int) -> str:
        return f"BIVF{max(1, min(count // _CODES_A_CELL, round(2 * count**0.5)))}"

    def _asked(self, effort: int | None, k: int) -> tuple[int, Any]:
        return max(300, 10 * k), faiss.SearchParametersIVF(nprobe=effort or 8)  # type: ignore[call-arg]


class FaissGraph(FaissBinary):
    """A graph of the views (HNSW).

    `effort` is how many codes a search keeps at hand, all of which are reranked; 128 unless given.
    """

    name = "faiss-hnsw"
    efforts = (16, 32, 64, 128, 256, 512, 1024)

    @staticmethod
    def _recipe(count: int) -> str:  # noqa: ARG004
        return "BHNSW16"

    def _asked(self, effort: int | None, k: int) -> tuple[int, Any]:
        most = max(k, effort or 128)
        return most, faiss.SearchParametersHNSW(efSearch=most)  # type: ignore[attr-defined]


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Let faiss use this many threads for the calls of this one."""
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(count)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
