"""Rows set aside, class by class: the same ones whenever it is asked, so that runs can be compared."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

# Not a seed of training: runs with different seeds must see the same rows.
_SEED = 1_618_033


def stratified(labels: Tensor, share: float) -> tuple[Tensor, Tensor]:
    """The numbers of the rows that stay and of those set aside, both ascending.

    Of each class about `share` is set aside: at least one row and never all of them, so nothing of a class with a
    single row.

    >>> stratified(torch.tensor([0, 0, 0, 0, 1, 1, 2]), 0.25)[1].shape
    torch.Size([2])
    """
    if not 0 < share < 1:
        raise ValueError(f"the share to set aside is {share}; it must be between 0 and 1.")
    rng = np.random.default_rng(_SEED)
    numbers = labels.numpy()
    order = rng.permutation(len(numbers))
    aside = np.zeros(len(numbers), bool)
    for rows in _by_class(numbers, order):
        count = min(max(1, round(share * len(rows))), len(rows) - 1)
        aside[rows[:count]] = True
    if not aside.any():
        raise ValueError(f"none of the classes of these {len(numbers)} rows has two; give at least one class two rows.")
    return torch.from_numpy(np.flatnonzero(~aside)), torch.from_numpy(np.flatnonzero(aside))


def _by_class(labels: np.ndarray, order: np.ndarray) -> list[np.ndarray]:
    """The rows of each class, in the order given."""
    grouped = order[np.argsort(labels[order], kind="stable")]
    return np.split(grouped, np.flatnonzero(np.diff(labels[grouped])) + 1)
