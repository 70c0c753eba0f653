"""Precision at 1 during training, computed on the device that holds the points."""

from __future__ import annotations

from torch import Tensor

ROWS = 4096


def precision_at_1(reference: Tensor, reference_labels: Tensor, queries: Tensor, query_labels: Tensor) -> float:
    """Return the share of queries whose nearest reference point, by dot product, has their label.

    >>> import torch
    >>> points = torch.eye(3)
    >>> precision_at_1(points, torch.tensor([0, 1, 2]), points, torch.tensor([0, 1, 1]))
    0.6666666666666666
    """
    hits = 0
    for begin in range(0, len(queries), ROWS):
        rows = slice(begin, begin + ROWS)
        nearest = (queries[rows] @ reference.T).argmax(dim=1)
        hits += int((reference_labels[nearest] == query_labels[rows]).sum())
    return hits / len(queries)
