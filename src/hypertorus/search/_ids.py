"""Ids and labels as they are given: any array or list of whole numbers, labels also strings."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.spaces._arrays import to_numpy

Ids = npt.NDArray[np.int64]
LARGEST_ID = 2**63 - 1


def check_ids(ids: Any, count: int | None = None) -> Ids:
    """Ids as int64 [n]; with `count`, as many as that and no two alike."""
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


class LabelNames:
    """Names of labels that were given as strings; a label is stored as the number of its name.

    Names are only ever added, so readers need no lock.
    """

    def __init__(self, names: list[str] | None = None) -> None:
        self.names = list(names or [])
        self._numbers = {name: number for number, name in enumerate(self.names)}

    def numbers(self, labels: npt.NDArray[Any]) -> Ids:
        """The number of each label's name; names not met before are added."""
        distinct, places = np.unique(labels.astype(str), return_inverse=True)
        for name in distinct.tolist():
            if name not in self._numbers:
                self.names.append(name)
                self._numbers[name] = len(self.names) - 1
        of_distinct = np.array([self._numbers[name] for name in distinct.tolist()], np.int64)
        return of_distinct[places]

    def labels(self, numbers: Ids) -> npt.NDArray[np.str_]:
        """The name of each number."""
        distinct, places = np.unique(numbers, return_inverse=True)
        return np.array([self.names[number] for number in distinct.tolist()], np.str_)[places]


def check_labels(labels: Any, count: int) -> npt.NDArray[Any]:
    """Labels as integers or strings [count]."""
    array = to_numpy(labels)
    if array.dtype.kind == "O" and all(isinstance(label, str) for label in array.flat):
        array = array.astype(np.str_)
    if array.dtype.kind not in "iuU":
        raise TypeError(f"labels holds {array.dtype}; pass whole numbers or strings.")
    if array.shape != (count,):
        raise ValueError(f"labels has shape {array.shape} for {count} codes; pass one for each.")
    if array.dtype == np.uint64 and array.size and array.max() > LARGEST_ID:
        raise ValueError(f"labels holds {array.max()}; the largest label is 2^63 - 1.")
    return array if array.dtype.kind == "U" else array.astype(np.int64)


def check_names(names: Any, count: int) -> list[str]:
    """Names as a list of `count` strings."""
    array = to_numpy(names)
    if array.dtype.kind == "O" and all(isinstance(name, str) for name in array.flat):
        array = array.astype(np.str_)
    if array.dtype.kind != "U" or array.shape != (count,):
        raise ValueError(f"names is {array.dtype} of shape {array.shape} for {count} codes; pass a string for each.")
    return array.tolist()
