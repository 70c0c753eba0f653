"""Embeddings that are read from their file a piece at a time, so that the file may be larger than memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hypertorus.embeddings.record import Embeddings
from hypertorus.files.rows import Rows


@dataclass(frozen=True, eq=False)
class Stream:
    """Think of an iterator over records, each with the next rows of one file and all that is known of them.

    >>> import numpy as np
    >>> record = Embeddings(np.array([[3.0, 4.0], [0.0, -2.0]]), "raw", "torusN")
    >>> [(part.start, part.stop, piece.codes().tolist()) for part, piece in Stream.of(record)]
    [(0, 2, [[37], [192]])]
    """

    rows: Rows
    piece: Callable[[slice], Embeddings]
    """The record of these rows."""
    labelled: bool
    """Whether the label of any row is known."""

    @classmethod
    def of(cls, record: Embeddings) -> Stream:
        labelled = record.labels is not None and bool((record.labels >= 0).any())
        return cls(Rows.of(record.rows), record.take, labelled)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[tuple[slice, Embeddings]]:
        """Yield each piece with the slice of the rows that it has."""
        return ((part, self.piece(part)) for part in self.rows.slices())

    def whole(self) -> Embeddings:
        """Return the record of all rows."""
        return self.piece(slice(0, len(self)))
