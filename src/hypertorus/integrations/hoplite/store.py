"""The vectors of a database, in the words in which hoplite asks usearch for them: add, get, contains, remove, save."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.integrations.hoplite.codecs import Codec
from hypertorus.search import Index

CODES_FILENAME = "codes.index"
_KEYS_AT_ONCE = 500

Keys = int | Sequence[int] | npt.NDArray[np.int64]


class Matches(NamedTuple):
    """What a search found, nearest first."""

    keys: npt.NDArray[np.int64]
    distances: npt.NDArray[Any]


class CodeStore:
    """Codes under the ids of windows, in one file beside the database; with `floats`, the vectors as well."""

    def __init__(self, folder: Path, codec: Codec, floats: FloatTable | None) -> None:
        self.path, self.codec, self.floats = folder / CODES_FILENAME, codec, floats
        self.index = self._opened()

    @property
    def size(self) -> int:
        return len(self.index)

    def __len__(self) -> int:
        return self.size

    def contains(self, keys: Keys) -> bool | npt.NDArray[np.bool_]:
        there = np.array([int(key) in self.index for key in np.atleast_1d(np.asarray(keys, np.int64))], np.bool_)
        return bool(there[0]) if np.ndim(keys) == 0 else there

    def add(self, keys: Keys, vectors: npt.NDArray[Any]) -> None:
        ids, rows = np.atleast_1d(np.asarray(keys, np.int64)), np.atleast_2d(vectors)
        if len(ids) == 0:
            return
        self.index.add(self.codec.encode(rows), ids=ids)
        if self.floats is not None:
            self.floats.add(ids, rows)

    def get(self, keys: Keys) -> npt.NDArray[np.float16]:
        """The vectors of these keys: those that were added, if floats are kept, or those that codes stand for."""
        ids = np.atleast_1d(np.asarray(keys, np.int64))
        if self.floats is not None:
            vectors = self.floats.get(ids)
        else:
            vectors = self.codec.decode(self.index.vectors(ids)).astype(np.float16)
        return vectors[0] if np.ndim(keys) == 0 else vectors

    def remove(self, keys: Keys) -> int:
        """Remove what there is of these keys, and return how many that were."""
        there = [int(key) for key in np.atleast_1d(np.asarray(keys, np.int64)) if int(key) in self.index]
        if there:
            self.index.remove(there)
            if self.floats is not None:
                self.floats.remove(there)
        return len(there)

    def search(self, vector: npt.NDArray[Any], count: int = 10, **_: Any) -> Matches:
        """The nearest codes, exactly; `exact` and the other options of usearch change nothing."""
        if not self.size:
            return Matches(np.empty(0, np.int64), np.empty(0, np.uint32))
        found = self.codec.search(self.index, vector[None], min(count, self.size))
        return Matches(found.ids[0], found.distances[0])

    def load(self) -> None:
        """Nothing: what is in the file is mapped into memory, and changes lie beside it."""

    def save(self) -> None:
        """Write what changed to the journal of the file, or the file if there is none yet."""
        if self.path.exists():
            self.index.commit()
        else:
            self.index.save(self.path)

    def rewrite(self) -> None:
        """Write the whole file anew, without a journal."""
        self.index.save(self.path)

    def restore(self) -> None:
        """Forget what was not saved."""
        self.index = self._opened()

    def _opened(self) -> Index:
        return Index.open(self.path) if self.path.exists() else self.codec.new_index()


class FloatTable:
    """Vectors as float16 in a table of the database, so that they are committed and rolled back with all else."""

    def __init__(self, connection: sqlite3.Connection, numbers: int) -> None:
        self._connection, self._numbers = connection, numbers

    def create(self) -> None:
        self._connection.execute("CREATE TABLE IF NOT EXISTS embeddings (window_id INTEGER PRIMARY KEY, vector BLOB)")

    def add(self, ids: npt.NDArray[np.int64], vectors: npt.NDArray[Any]) -> None:
        rows = zip(ids.tolist(), map(bytes, vectors.astype(np.float16)), strict=True)
        self._connection.executemany("INSERT INTO embeddings VALUES (?, ?)", rows)

    def get(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float16]:
        found: dict[int, bytes] = {}
        for begin in range(0, len(ids), _KEYS_AT_ONCE):
            some = ids[begin : begin + _KEYS_AT_ONCE].tolist()
            marks = ", ".join("?" * len(some))
            query = f"SELECT window_id, vector FROM embeddings WHERE window_id IN ({marks})"  # noqa: S608
            found.update(self._connection.execute(query, some))
        if missing := set(ids.tolist()) - set(found):
            raise ValueError(f"ids holds {min(missing)}, which has no embedding.")
        return np.stack([np.frombuffer(found[number], np.float16) for number in ids.tolist()])

    def remove(self, ids: list[int]) -> None:
        self._connection.executemany("DELETE FROM embeddings WHERE window_id = ?", [(number,) for number in ids])
