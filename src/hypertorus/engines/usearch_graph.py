"""usearch: a graph of the codes (HNSW) that is walked by our own compiled metric, at every bit depth."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hypertorus.engines.folder import Facts
from hypertorus.engines.protocol import Engine, enter
from hypertorus.engines.reranking import ordered, rerank
from hypertorus.files.extras import require
from hypertorus.files.progress import Progress
from hypertorus.files.threads import thread_count
from hypertorus.search import Neighbours, distances, metric_address
from hypertorus.search._asked import check_count
from hypertorus.search._ids import check_ids
from hypertorus.search._neighbours import NO_DISTANCE, NO_ID
from hypertorus.search._rows import Shape

require("usearch", extra="engines")

from usearch.compiled import MetricKind, MetricSignature  # noqa: E402
from usearch.index import CompiledMetric  # noqa: E402
from usearch.index import Index as Graph  # noqa: E402

FILE = "graph.usearch"
_EFFORT = 64
_AT_ONCE = 10_000
_LARGEST_IN_FLOAT = 2**24


def usearch_metric(metric: str = "cosine", bits: int = 8) -> CompiledMetric:
    """Our metric as usearch takes it, for an index of packed codes: `dtype="i8"`, and `ndim` their bytes.

    usearch saves no metric: a graph that it loads, views or restores crashes in its first search, until it is given
    its metric again by `graph.metric = usearch_metric("cosine")`. `UsearchGraph` does that.
    """
    address = metric_address(metric, bits, kind="f32", counting="bytes")
    return CompiledMetric(pointer=address, kind=MetricKind.Unknown, signature=MetricSignature.ArrayArraySize)


class UsearchGraph(Engine):
    """A graph over packed codes.

    `effort` is how many of them a search keeps at hand, usearch's expansion; 64 unless given. Searches of several
    threads take turns, so give one call many queries and `threads`.

    >>> engine = UsearchGraph.build(np.array([[0, 0], [250, 3], [128, 128]]), ids=[7, 2**40, 9], metric="l1")
    >>> engine.search(np.array([[253, 1]]), k=2)
    Neighbours(ids=array([[            7, 1099511627776]]), distances=array([[4, 5]], dtype=uint32))
    """

    name = "usearch"
    package = "usearch"
    files = (FILE,)
    efforts = (16, 32, 64, 128, 256, 512, 1024)

    def __init__(self, shape: Shape, metric: str, connectivity: int = 16) -> None:
        super().__init__(shape, metric)
        self.connectivity = check_count(connectivity, "connectivity")
        # usearch reads uint8 as packed bits; as int8, bytes reach the metric as they are.
        self._graph: Any = Graph(
            ndim=shape.width, metric=usearch_metric(metric, shape.bits), dtype="i8", connectivity=self.connectivity
        )
        self._turn = Lock()
        half = np.full((1, shape.dim), 2 ** (shape.bits - 1), np.uint8)
        # usearch returns floats, which hold whole numbers up to 2^24; the largest distance is half a turn everywhere.
        self._in_floats = int(distances(0 * half, half, metric, shape.bits)[0, 0]) <= _LARGEST_IN_FLOAT

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
        connectivity: int = 16,
    ) -> Self:
        """Return a graph in which each code knows `connectivity` others."""
        entry = enter(codes, ids, bits, metric)
        engine = cls(entry.shape, metric, connectivity)
        for begin in range(0, len(entry.rows), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            keys, rows = entry.ids[part].astype(np.uint64), entry.rows[part].view(np.int8)
            engine._graph.add(keys, rows, threads=thread_count(threads))
            if progress:
                progress(begin + len(rows), len(entry.rows))
        return engine

    def vectors(self, ids: Any) -> npt.NDArray[np.uint8]:
        """The codes of these ids, [n, dim]."""
        wanted = check_ids(ids)
        rows = self._graph.get(wanted.astype(np.uint64), dtype="i8")
        missing = [number for number, row in zip(wanted.tolist(), rows, strict=True) if row is None]
        if missing:
            raise ValueError(f"ids holds {missing[0]}, which is not in the engine; pass ids that it found.")
        return self.shape.unpacked(np.array(rows, np.int8).reshape(len(wanted), self.shape.width).view(np.uint8))

    def __len__(self) -> int:
        return len(self._graph)

    def _nearest(self, queries: npt.NDArray[np.uint8], k: int, effort: int | None, threads: int) -> Neighbours:
        most = min(k, len(self))
        with self._turn:
            self._graph.expansion_search = max(most, _EFFORT if effort is None else effort)
            matches = self._graph.search(queries.view(np.int8), most, threads=threads)
        ids = matches.keys.reshape(len(queries), -1).astype(np.int64)
        floats = matches.distances.reshape(ids.shape)
        counts = getattr(matches, "counts", None)  # a single query is answered without them
        missing = (
            None if counts is None or (counts == ids.shape[1]).all() else np.arange(ids.shape[1]) >= counts[:, None]
        )
        if missing is not None:
            ids[missing], floats[missing] = NO_ID, 0
        if not self._in_floats:
            return rerank(self, self.shape.unpacked(queries), ids, k)
        exact = floats.astype(np.uint32)
        if missing is not None:
            exact[missing] = NO_DISTANCE
        return ordered(ids, exact, k)

    def _write(self, folder: Path) -> None:
        self._graph.save(str(folder / FILE))

    @classmethod
    def _read(cls, folder: Path, facts: Facts, *, mmap: bool) -> Self:
        engine = cls(facts.shape, facts.metric, facts.options.get("connectivity", 0))
        described = Graph.metadata(str(folder / FILE)) or {}
        if (described.get("dimensions"), described.get("kind_scalar")) != (facts.shape.width, engine._graph.dtype):
            raise ValueError(f"{folder / FILE} is of other vectors than engine.json says; save the engine again.")
        if mmap:
            engine._graph.view(str(folder / FILE))
        else:
            engine._graph.load(str(folder / FILE))
        engine._graph.metric = usearch_metric(facts.metric, facts.bits)
        return engine

    def _options(self) -> Mapping[str, int]:
        return {"connectivity": self.connectivity}
