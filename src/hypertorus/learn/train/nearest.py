"""Precision at 1 while training: of the nearest among points in memory, on the device where they are."""

from __future__ import annotations

from torch import Tensor

ROWS = 4096


def precision_at_1(reference: Tensor, reference_labels: Tensor, queries: Tensor, query_labels: Tensor) -> float:
    """The share of queries whose nearest reference, by largest dot product, has their label.

    >>> import torch
    >>> points = torch.eye(3)
    >>> precision_at_1(points, torch.tensor([0, 1, 2]), points, torch.tensor([0, 1, 1]))
    0.6666666865348816
    """
    nearest = [(part @ reference.T).argmax(dim=1) for part in queries.split(ROWS)]
    hits = [
        (reference_labels[found] == wanted).sum()
        for found, wanted in zip(nearest, query_labels.split(ROWS), strict=True)
    ]
    return float(sum(hits) / len(queries))  # type: ignore[arg-type]
