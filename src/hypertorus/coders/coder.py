"""The interface of every coder: vectors to codes, codes to an index, and the search of it by vectors."""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hypertorus.coders.vectors import Floats, as_rows, unit_rows
from hypertorus.codes.protocol import check_codes
from hypertorus.files.progress import Progress
from hypertorus.search import Index, Neighbours

Codes = npt.NDArray[np.uint8]
BITS = 4
"""Bits of a column of a code, which for an index is a coordinate."""


class Coder(ABC):
    """Vectors [n, numbers] to codes [n, 2 x bytes] of 4 bits a column, which have the vectors' neighbours by cosine.

    Make one with `codes_for`, and read one with `load_coder`. The codes lie in an `Index` of 4 bits like any others,
    and are compared by `coder.search`.
    """

    kind: ClassVar[str]
    metric: ClassVar[str]
    """Metric of an index of the codes."""

    def __init__(self, weights: dict[str, npt.NDArray[Any]], bytes: int, facts: dict[str, Any] | None = None) -> None:  # noqa: A002
        self.bytes = bytes
        self.weights = weights
        self.facts = {} if facts is None else facts
        """How the coder was fitted, and the recall that was measured on rows held out from it."""

    @property
    def numbers(self) -> int:
        """How many numbers a vector has."""
        return len(self.weights["mean"])

    @property
    def width(self) -> int:
        """How many columns of 4 bits a code has."""
        return 2 * self.bytes

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.numbers} numbers, {self.bytes} bytes)"

    def transform(self, vectors: Any, progress: Progress | None = None) -> Codes:
        """Return the codes [n, 2 x bytes] of vectors [n, numbers]: an array, or the path of a file of vectors.

        Every column is from 0 to 15; `ht.pack(codes, bits=4)` makes `bytes` bytes of them.
        """
        rows = as_rows(vectors, self.numbers)
        codes = np.empty((len(rows), self.width), np.uint8)
        for part in rows.slices():
            codes[part] = self._codes(unit_rows(rows[part], part.start))
            if progress:
                progress(part.stop, len(rows))
        return codes

    def inverse_transform(self, codes: npt.NDArray[np.integer]) -> Floats:
        """Return vectors [n, numbers] of length 1 for codes [n, 2 x bytes]: those that the codes remember.

        What the linear layer left out is as in the mean of the vectors that the coder was fitted to.
        """
        columns = check_codes(codes, self.width, BITS)
        return unit_rows(self.weights["mean"] + self._middles(columns) @ self._inverse)

    @cached_property
    def _inverse(self) -> Floats:
        return np.linalg.pinv(self.weights["encode"].astype(np.float64)).astype(np.float32)

    def index(
        self, vectors: Any, *, labels: Any = None, ids: Any = None, names: Any = None, progress: Progress | None = None
    ) -> Index:
        """Return an index of the codes of vectors, for `coder.search`; arguments are those of `Index.add`."""
        index = Index(self.width, BITS, self.metric, model=self.fingerprint)
        rows = as_rows(vectors, self.numbers)
        columns = {"ids": ids, "labels": labels, "names": names}
        given: dict[str, Any] = {name: np.asarray(column) for name, column in columns.items() if column is not None}
        for name, column in given.items():
            if column.shape != (len(rows),):
                raise ValueError(f"{name} has shape {column.shape} for {len(rows)} vectors; pass one for each.")
        for part in rows.slices():
            codes = self._codes(unit_rows(rows[part], part.start))
            index.add(codes, **{name: column[part] for name, column in given.items()})
            if progress:
                progress(part.stop, len(rows))
        return index

    def add(
        self,
        index: Index,
        vectors: Any,
        *,
        labels: Any = None,
        ids: Any = None,
        names: Any = None,
        progress: Progress | None = None,
    ) -> npt.NDArray[np.int64]:
        """Add the codes of further vectors to an index of this coder, all or none of them, and return their ids.

        Arguments are those of `Index.add`.
        """
        self._check_index(index)
        return index.add(self.transform(vectors, progress), ids, labels, names=names)

    def search(
        self,
        index: Index,
        queries: Any,
        k: int = 10,
        *,
        rerank: Any = None,
        candidates: int = 100,
        where: Any = None,
        threads: int | None = None,
    ) -> Neighbours:
        """Return the k nearest codes of each query vector [m, numbers], exactly in the integers that compare codes.

        With `rerank`, the vectors that were kept, the row of an id being the id, the `candidates` nearest codes are
        compared by the cosines of these vectors, and distances are 1 - cosine.
        """
        self._check_index(index)
        rows = as_rows(queries, self.numbers, "queries")
        vectors = unit_rows(rows.whole())
        if rerank is None:
            return self._search(index, vectors, k, where=where, threads=threads)
        kept = as_rows(rerank, self.numbers, "rerank").whole()  # of a file of one array, mapped into memory
        found = self._search(index, vectors, max(k, candidates), where=where, threads=threads)
        return _reranked(found, vectors, kept, k)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write `coder.safetensors` and `config.json` into a folder.

        A coder in the folder is replaced in one step: whoever loads it meanwhile, or after a crash, gets the old one or
        the new one.
        """
        from hypertorus.coders.folder import write_coder

        write_coder(self, Path(folder))

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that identify the coder in indexes; its weights do not change."""
        checksum = hashlib.sha256(f"{self.kind} {self.bytes}".encode())
        for name, array in sorted(self.weights.items()):
            checksum.update(name.encode() + np.ascontiguousarray(array).tobytes())
        return checksum.hexdigest()[:16]

    @abstractmethod
    def _codes(self, vectors: Floats) -> Codes:
        """Return the codes of vectors of length 1."""

    @abstractmethod
    def _middles(self, codes: Codes) -> Floats:
        """Return what the linear layer gives in the middle of the cells of codes, [n, coordinates]."""

    @abstractmethod
    def _search(self, index: Index, vectors: Floats, k: int, *, where: Any, threads: int | None) -> Neighbours:
        """Return the nearest codes of vectors of length 1."""

    def _check_index(self, index: Index) -> None:
        if not isinstance(index, Index):
            raise TypeError(f"index is a {type(index).__name__}; pass what coder.index(vectors) returns.")
        if index.model != self.fingerprint:
            raise ValueError(
                f"the index is of {index.model or 'no coder'}, and this coder is {self.fingerprint}; take the coder "
                "that made its codes."
            )


def _reranked(found: Neighbours, queries: Floats, kept: npt.NDArray[Any], k: int) -> Neighbours:
    if found.ids.size and found.ids.max() >= len(kept):
        raise ValueError(
            f"rerank has {len(kept)} rows, but the index has id {found.ids.max()}; keep a vector for each id."
        )
    cosines = np.full(found.ids.shape, -np.inf, np.float32)
    for row, (query, ids) in enumerate(zip(queries, found.ids, strict=True)):
        there = ids >= 0
        cosines[row, there] = unit_rows(kept[ids[there]]) @ query
    order = np.lexsort((found.ids, -cosines), axis=1)[:, :k]
    nearest: npt.NDArray[np.int64] = np.take_along_axis(found.ids, order, axis=1)
    distances: npt.NDArray[Any] = np.take_along_axis(1 - cosines, order, axis=1)
    return Neighbours(nearest, distances, found.label_column, found.name_column)
