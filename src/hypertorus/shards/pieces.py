"""Vectors a piece at a time, with their ids, labels and names: what shards are built of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hypertorus.embeddings import Embeddings
from hypertorus.embeddings.stream import Stream
from hypertorus.files.rows import Rows
from hypertorus.search._record import coordinates_of, row_names
from hypertorus.spaces._arrays import namespace


@dataclass(frozen=True, eq=False)
class Piece:
    """Some vectors, codes or turns [n, dim] or `Embeddings`, and what is known of each of them."""

    vectors: Any
    ids: Any = None
    labels: Any = None
    names: Any = None

    def __len__(self) -> int:
        return len(self.vectors)

    def part(self, begin: int, end: int) -> Piece:
        rows = slice(begin, end)
        vectors = self.vectors.take(rows) if isinstance(self.vectors, Embeddings) else self.vectors[rows]
        columns = (None if column is None else column[rows] for column in (self.ids, self.labels, self.names))
        return Piece(vectors, *columns)


@dataclass(frozen=True, eq=False)
class Pieces:
    """Pieces that are read once, in order, and what is known of all of them before that."""

    pieces: Iterator[Piece]
    count: int
    dim: int
    bits: int | None = None
    metric: str | None = None
    model: str | None = None


def pieces_of(vectors: Any, ids: Any = None, labels: Any = None, names: Any = None) -> Pieces:
    """Return vectors that are in memory, or mapped from a file, as pieces.

    >>> pieces = pieces_of(np.zeros((5, 2), np.uint8), ids=[4, 5, 6, 7, 8])
    >>> pieces.count, pieces.dim, [piece.ids for piece in pieces.pieces]
    (5, 2, [[4, 5, 6, 7, 8]])
    """
    if isinstance(vectors, Embeddings):
        return stream_pieces([Stream.of(vectors)], ids, labels, names)
    if namespace(vectors) is None or len(vectors.shape) != 2:
        raise TypeError(f"vectors is a {type(vectors).__name__}; pass a matrix [vectors, coordinates] or Embeddings.")
    count, dim = map(int, vectors.shape)
    _check_columns({"ids": ids, "labels": labels, "names": names}, count)
    whole = Piece(vectors, ids, labels, names)
    slices = Rows((count, dim), np.dtype(np.float64), vectors.__getitem__).slices()
    return Pieces((whole.part(part.start, part.stop) for part in slices), count, dim)


def stream_pieces(streams: Sequence[Stream], ids: Any = None, labels: Any = None, names: Any = None) -> Pieces:
    """Return the embeddings of several files, one after the other, as pieces; columns are for all of them."""
    count, first = sum(map(len, streams)), streams[0].piece(slice(0, 1))
    _check_columns({"ids": ids, "labels": labels, "names": names}, count)
    labelled = labels is None and any(stream.labelled for stream in streams)

    def pieces() -> Iterator[Piece]:
        begin = 0
        for stream in streams:
            for part, piece in stream:
                rows = slice(begin + part.start, begin + part.stop)
                columns: list[Any] = [None if column is None else column[rows] for column in (ids, labels, names)]
                # The labels of a piece of which none is known are those of the others, too: unknown.
                columns[1] = piece.label_names if labelled else columns[1]
                columns[2] = row_names(piece) if names is None else columns[2]
                yield Piece(piece, *columns)
            begin += len(stream)

    return Pieces(pieces(), count, coordinates_of(first), first.bits, first.metric, first.model)


def _check_columns(columns: dict[str, Any], count: int) -> None:
    for name, column in columns.items():
        if column is not None and len(column) != count:
            raise ValueError(f"{name} has {len(column)} entries for {count} vectors; pass one for each.")
