"""Converts arrays to the inputs and labels of a part."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor


def as_inputs(array: npt.NDArray[Any], place: str) -> Tensor:
    """Return images as uint8 [n, channels, height, width], and vectors as float32 [n, features].

    >>> as_inputs(np.zeros((5, 8, 8, 3), np.uint8), "here").shape
    torch.Size([5, 3, 8, 8])
    >>> as_inputs(np.arange(6).reshape(2, 3), "here").dtype
    torch.float32
    """
    if array.ndim == 2 and array.dtype.kind in "fiu":
        return _vectors(array, place)
    if array.dtype != np.uint8 or array.ndim not in (3, 4):
        raise ValueError(
            f"{place} has {array.dtype} of shape {array.shape}; pass images as uint8 [n, height, width], "
            "[n, height, width, 1 or 3] or [n, 1 or 3, height, width], or vectors as numbers [n, features]."
        )
    if array.ndim == 3:
        channels_first = array[:, None]
    elif array.shape[3] in (1, 3):
        channels_first = np.moveaxis(array, 3, 1)
    elif array.shape[1] in (1, 3):
        channels_first = array
    else:
        raise ValueError(
            f"{place} has images of shape {array.shape[1:]}; they may have 1 or 3 channels, first or last."
        )
    return torch.from_numpy(np.ascontiguousarray(channels_first))


def as_labels(*parts: npt.NDArray[Any], place: str) -> tuple[tuple[str, ...], list[Tensor]]:
    """Return the classes in order, and the labels of each part as numbers of classes.

    >>> as_labels(np.array(["owl", "jay"]), np.array(["owl"]), place="here")
    (('jay', 'owl'), [tensor([1, 0]), tensor([1])])
    """
    together = np.concatenate([_flat_labels(labels, place) for labels in parts])
    names, numbers = np.unique(together, return_inverse=True)
    cuts = np.cumsum([len(labels) for labels in parts])[:-1]
    return tuple(map(str, names)), [torch.from_numpy(part) for part in np.split(numbers.astype(np.int64), cuts)]


def _vectors(array: npt.NDArray[Any], place: str) -> Tensor:
    with np.errstate(over="ignore"):  # what is too large for float32 becomes infinite and is refused below
        vectors = np.require(array, np.float32, ["C", "W"])  # torch warns of memory that it must not write to
    if not np.isfinite(vectors).all():
        row = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        raise ValueError(f"{place} has a number in row {row} that is not finite as float32; remove or replace it.")
    return torch.from_numpy(vectors)


def _flat_labels(labels: npt.NDArray[Any], place: str) -> npt.NDArray[Any]:
    flat = labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels
    if flat.ndim != 1 or flat.dtype.kind not in "iubUS":
        raise ValueError(
            f"{place} has labels of {labels.dtype} and shape {labels.shape}; pass a whole number or a string a row."
        )
    return np.char.decode(flat, "utf-8") if flat.dtype.kind == "S" else flat
