"""Texts as a part of a data set: each is a row of UTF-8 bytes, which the encoder of a text model splits into tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from hypertorus.datasets.part import UNKNOWN, Columns, Indices, Part, as_rows

TEXT_BYTES = 2000
"""Bytes of a text that are read; the rest of a longer text is left out. No usual vector has this many numbers."""


class Texts(Part):
    """Texts in memory; an input is the text as UTF-8, filled up with zeros.

    >>> part = Texts.of(["a gull", "eine Möwe"])
    >>> part.shape, part[0][:7].tolist(), texts_of(part.__getitems__([1]))
    ((2000,), [97, 32, 103, 117, 108, 108, 0], ['eine Möwe'])
    """

    texts = True
    shape = (TEXT_BYTES,)

    def __init__(self, content: npt.NDArray[np.object_], columns: Columns) -> None:
        self.content, self.columns = content, columns

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        """Return texts without labels, in their order; an error names the first that is empty."""
        content = checked(texts, "the list of texts", first=0)
        places = torch.arange(len(content))
        return cls(content, Columns(torch.full((len(content),), UNKNOWN), names=as_names(content), places=places))

    def __getitems__(self, indices: Indices) -> Tensor:
        rows = np.zeros((len(indices), TEXT_BYTES), np.uint8)
        for row, text in zip(rows, self.content[as_rows(indices).numpy()], strict=True):
            encoded = text.encode()[:TEXT_BYTES]
            row[: len(encoded)] = np.frombuffer(encoded, np.uint8)
        return torch.from_numpy(rows)

    def _take(self, rows: Tensor) -> Texts:
        return Texts(self.content[rows.numpy()], self.columns.take(rows))


def texts_of(inputs: Tensor) -> list[str]:
    """Return the texts whose bytes these are; a letter that was cut off at the end is left out."""
    rows = inputs.to("cpu", torch.uint8).numpy()
    return [row.tobytes().rstrip(b"\0").decode(errors="ignore") for row in rows]


def checked(texts: Iterable[str], place: str, first: int) -> npt.NDArray[np.object_]:
    """Return texts as an array of strings, unless one is empty; `first` is the number of the first, for the error."""
    content = np.array([*texts, None], np.object_)[:-1]  # with an object, numpy never makes a string array of it
    for number, text in enumerate(content, start=first):
        if not isinstance(text, str):
            raise TypeError(f"row {number} of {place} is a {type(text).__name__}; pass a text in every row.")
        if not text.strip():
            raise ValueError(f"row {number} of {place} has no text; fill it or remove the row.")
        if not text.isprintable() and "\0" in text:
            raise ValueError(f"row {number} of {place} has a zero byte in its text; remove it.")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"row {number} of {place} has half a character in its text; remove it.") from error
    return content


def as_names(content: npt.NDArray[np.object_]) -> npt.NDArray[np.str_]:
    """Return texts as the names of their rows: one line each, at most 200 letters, which `search` shows."""
    return np.array([" ".join(text.split())[:200] for text in content], np.str_)
