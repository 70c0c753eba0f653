"""Vectors as they come: arrays, tensors or files of any size, checked, in pieces, and scaled to length 1."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.embeddings.read import read_vectors
from hypertorus.files.rows import Rows
from hypertorus.spaces._arrays import namespace, to_numpy

Floats = npt.NDArray[np.float32]


def as_rows(vectors: Any, numbers: int | None = None, what: str = "vectors") -> Rows:
    """Return vectors [n, numbers] as rows that are read in pieces; `vectors` may be the path of a file.

    >>> as_rows(np.ones((3, 4))).shape
    (3, 4)
    >>> as_rows(np.ones((3, 4)), numbers=5)
    Traceback (most recent call last):
    ValueError: vectors has rows of 4 numbers, and this coder was fitted on rows of 5; pass vectors of the same model.
    """
    if isinstance(vectors, Rows):
        rows = vectors
    elif isinstance(vectors, str | os.PathLike):
        what, rows = os.fspath(vectors), read_vectors(vectors).rows
    elif namespace(vectors) is not None:
        rows = Rows.of(to_numpy(vectors))
    else:
        raise TypeError(f"{what} is a {type(vectors).__name__}; pass a numpy array, a torch tensor or a path.")
    if rows.ndim != 2 or rows.dtype.kind not in "fiu" or rows.shape[1] < 2:
        raise ValueError(f"{what} is {rows.dtype} of shape {rows.shape}; pass a matrix of numbers [rows, 2 or more].")
    if numbers is not None and rows.shape[1] != numbers:
        raise ValueError(
            f"{what} has rows of {rows.shape[1]} numbers, and this coder was fitted on rows of {numbers}; "
            "pass vectors of the same model."
        )
    return rows


def unit_rows(rows: npt.NDArray[Any], first: int = 0) -> Floats:
    """Return rows scaled to length 1; a row of zeros stays. `first` is what row 0 is called in an error.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    wide = np.asarray(rows, np.float64 if rows.dtype.itemsize > 4 else np.float32)
    largest = np.abs(wide).max(axis=1, keepdims=True, initial=0)
    broken = ~np.isfinite(largest[:, 0])
    if broken.any():
        row = first + int(broken.argmax())
        raise ValueError(f"row {row} has a NaN or an infinity; every number of a vector must be finite.")
    scaled = wide / np.where(largest == 0, 1, largest)  # so that squares neither overflow nor vanish
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    return (scaled / np.where(length == 0, 1, length)).astype(np.float32)


def sampled(rows: Rows, size: int, seed: int) -> Floats:
    """Return up to `size` rows in random order, scaled to length 1; a file is read once, and only where they are.

    >>> sampled(Rows.of(np.eye(3)), size=2, seed=0).shape
    (2, 3)
    """
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.choice(len(rows), min(size, len(rows)), replace=False))
    pieces = []
    for part in rows.slices():
        begin, end = np.searchsorted(chosen, (part.start, part.stop))
        if begin < end:
            pieces.append(unit_rows(rows[part][chosen[begin:end] - part.start], part.start))
    return np.concatenate(pieces)[rng.permutation(len(chosen))]
