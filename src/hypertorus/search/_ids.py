"""Ids, labels and names as they are given: any array or list of whole numbers, labels and names of strings."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.search._rows import check_unmasked
from hypertorus.spaces._arrays import to_numpy

Ids = npt.NDArray[np.int64]
LARGEST_ID = 2**63 - 1


def check_ids(ids: Any, count: int | None = None) -> Ids:
    """Ids as int64 [n]; with `count`, as many as that and no two alike."""
    check_unmasked(ids, "ids")
    array = np.atleast_1d(to_numpy(ids))
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise TypeError(f"ids is an array of {array.dtype} with shape {array.shape}; pass whole numbers [n].")
    if array.size and (array.min() < 0 or array.max() > LARGEST_ID):
        outside = array[(array < 0) | (array > LARGEST_ID)][0]
        raise ValueError(f"ids holds {outside}; an id is 0 to 2^63 - 1.")
    if count is not None:
        if len(array) != count:
            raise ValueError(f"ids has {len(array)} ids for {count} codes; pass one for each.")
        ordered = np.sort(array)
        twice = ordered[1:][ordered[1:] == ordered[:-1]]
        if twice.size:
            raise ValueError(f"ids holds {twice[0]} twice; every id must be its own.")
    return array.astype(np.int64)


def check_labels(labels: Any, count: int) -> Ids | list[str]:
    """Labels as integers [count] or as a list of strings."""
    check_unmasked(labels, "labels")
    strings = _strings(labels, count)
    if strings is not None:
        return strings
    array = to_numpy(labels)
    if array.dtype.kind not in "iuU":
        raise TypeError(f"labels holds {array.dtype}; pass whole numbers or strings.")
    if array.shape != (count,):
        raise ValueError(f"labels has shape {array.shape} for {count} codes; pass one for each.")
    if array.dtype == np.uint64 and array.size and array.max() > LARGEST_ID:
        raise ValueError(f"labels holds {array.max()}; the largest label is 2^63 - 1.")
    return array.tolist() if array.dtype.kind == "U" else array.astype(np.int64)


def check_names(names: Any, count: int) -> list[str]:
    """Names as a list of `count` strings."""
    check_unmasked(names, "names")
    strings = _strings(names, count)
    if strings is None:
        array = to_numpy(names)
        raise ValueError(f"names is {array.dtype} of shape {array.shape} for {count} codes; pass a string for each.")
    return strings


def _strings(given: Any, count: int) -> list[str] | None:
    """The strings of a list or array if it holds nothing else and is as long, or None.

    A list never becomes an array on the way: there, one long string makes all the others as long. As in an array, a
    zero at the end of a string does not count.
    """
    if not isinstance(given, list | tuple):
        array = to_numpy(given)
        if array.dtype.kind not in "OTU" or array.shape != (count,):
            return None
        given = array.tolist()
    if len(given) != count or not all(isinstance(one, str) for one in given):
        return None
    return [str(one).rstrip("\0") for one in given]
