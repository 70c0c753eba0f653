"""How codes use their space: the number of distinct codes, their entropy, and the bits used per coordinate."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def distinct(rows: npt.NDArray[Any]) -> int:
    """Return the number of different rows.

    >>> distinct(np.array([[1, 2], [1, 2], [3, 4]]))
    2
    """
    return len(_counts(rows))


def entropy(rows: npt.NDArray[Any]) -> float:
    """Return the Shannon entropy of the rows as symbols, in nats; the logarithm of n if all n are different.

    >>> round(entropy(np.array([[1, 2], [1, 2], [3, 4], [3, 4]])), 4)
    0.6931
    """
    shares = _counts(rows) / len(rows)
    return float(-(shares * np.log(shares)).sum())


def bits_used(codes: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """Return the entropy of each coordinate of codes [n, width] in bits; it is largest if all values are equally used.

    >>> bits_used(np.array([[0, 0], [1, 0], [2, 0], [3, 0]], np.uint8))
    array([2., 0.])
    """
    shares = np.stack([np.bincount(column, minlength=256) for column in codes.T]) / len(codes)
    return -np.sum(shares * np.log2(np.where(shares > 0, shares, 1)), axis=1) + 0.0


def _counts(rows: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    return np.unique(as_symbols(rows), return_counts=True)[1]


def as_symbols(rows: npt.NDArray[Any]) -> npt.NDArray[np.void]:
    """Return each row [n, width] as one opaque value, which sorts and compares much faster than the row."""
    rows = np.ascontiguousarray(rows)
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))[:, 0]
