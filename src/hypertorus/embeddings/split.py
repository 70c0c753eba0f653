"""Stratified splits: a share of each class is set aside, always the same rows, so that runs can be compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

SEED = 1_618_033
"""Seed of every split, not of training: runs with different seeds must share a split."""

Rows = npt.NDArray[np.int64]


class NoSplitError(ValueError):
    """No row can be set aside, because every class has a single row or recording."""


def stratified(labels: Any, share: float, groups: Any = None, seed: int = SEED) -> tuple[Rows, Rows]:
    """Return the numbers of the rows that stay and of those set aside, both ascending.

    `labels` and `groups` are arrays or tensors of whole numbers. About `share` of each class is set aside, at least one
    row and never all of them; a class of a single row stays. Groups are never split; a class of a single group stays.

    >>> stratified([0, 0, 0, 0, 1, 1, 2], 0.25)[1].shape
    (2,)
    >>> stratified([0, 0, 0, 0], 0.25, groups=[7, 7, 8, 8])[1].shape
    (2,)
    """
    if not 0 < share < 1:
        raise ValueError(f"the share to set aside is {share}; it must be between 0 and 1.")
    rng = np.random.default_rng(seed)
    numbers = np.asarray(labels)
    order = rng.permutation(len(numbers))
    if groups is None:
        aside = np.zeros(len(numbers), bool)
        for rows in _rows_by_value(numbers, order):
            aside[rows[: _count_aside(len(rows), share)]] = True
    else:
        aside = _whole_groups(numbers, np.asarray(groups), share, order)
    if not aside.any():
        sentence = f"none of the classes of these {len(numbers)} rows has two"
        if groups is None:
            raise NoSplitError(f"{sentence}; give at least one class two rows.")
        raise NoSplitError(f"{sentence} recordings; give at least one class two, or read the data with --group none.")
    return np.flatnonzero(~aside), np.flatnonzero(aside)


def are_pairs(labels: Any) -> bool:
    """Return whether classes are pairs: none has more than two rows, and some have two.

    >>> are_pairs([0, 1, 0, 1]), are_pairs([0, 0, 0, 1])
    (True, False)
    """
    return int(np.bincount(np.asarray(labels)).max(initial=0)) == 2


def one_of_pairs(labels: Any, share: float, seed: int = SEED) -> tuple[Rows, Rows]:
    """Return the rows that stay, and the first row of a share of the pairs, both ascending; its partner stays.

    >>> rest, aside = one_of_pairs([0, 1, 2, 3, 0, 1, 2, 3], 0.25)
    >>> len(rest), len(aside), int(aside[0]) < 4
    (7, 1, True)
    """
    numbers = np.asarray(labels)
    firsts = np.unique(numbers, return_index=True)[1][np.unique(numbers, return_counts=True)[1] == 2]
    count = _count_aside(len(firsts), share)
    aside = np.sort(np.random.default_rng(seed).permutation(firsts)[:count])
    return np.setdiff1d(np.arange(len(numbers)), aside), aside


def _count_aside(rows: int, share: float) -> int:
    return min(max(1, round(share * rows)), rows - 1)


def _whole_groups(labels: np.ndarray, groups: np.ndarray, share: float, order: np.ndarray) -> np.ndarray:
    """Return which rows to set aside: for each class the groups that fit into its share, or else its smallest group."""
    members = {int(groups[rows[0]]): rows for rows in _rows_by_value(groups, order)}
    aside, left = np.zeros(len(labels), bool), np.bincount(labels)

    def take(group: int) -> bool:
        classes, counts = np.unique(labels[members[group]], return_counts=True)
        if aside[members[group][0]] or (left[classes] == counts).any():  # a class would have nothing to learn from
            return False
        aside[members[group]] = True
        left[classes] -= counts
        return True

    for rows in _rows_by_value(labels, order):
        own, places, sizes = np.unique(groups[rows], return_index=True, return_counts=True)
        target, count = _count_aside(len(rows), share), int(aside[rows].sum())
        for number in np.argsort(places):
            if count + sizes[number] <= target and take(int(own[number])):
                count += sizes[number]
        if count == 0:
            any(take(int(own[number])) for number in np.argsort(sizes, kind="stable"))
    return aside


def _rows_by_value(values: np.ndarray, order: np.ndarray) -> list[np.ndarray]:
    """Return the rows of each value, in this order."""
    grouped = order[np.argsort(values[order], kind="stable")]
    return np.split(grouped, np.flatnonzero(np.diff(values[grouped])) + 1)
