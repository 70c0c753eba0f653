"""Distances of the flat torus for the losses of pytorch-metric-learning."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from hypertorus.files.extras import require
from hypertorus.spaces import Torus, TorusN

require("pytorch_metric_learning", extra="train")

from pytorch_metric_learning.distances import BaseDistance  # noqa: E402


class TorusDistance(BaseDistance):  # type: ignore[misc]
    """The geodesic distance between points [n, 2d] of a torus: the sum of |w| over their turns, or of w^2.

    w is the wrapped difference of two turns; `p=1` is the Lee distance, `p=2` its square analogue. It takes points of
    both tori, because a point of torusC is a point of a torusN twice as wide.

    >>> import torch
    >>> from hypertorus import TorusC
    >>> points = TorusC(3).project(torch.tensor([[0.9, 0.0, 0.5], [0.1, 0.25, 0.5]]))
    >>> round(TorusDistance(p=1)(points)[0, 1].item(), 4)
    0.45
    """

    def __init__(self, p: int = 2, **options: Any) -> None:
        if p not in (1, 2):
            raise ValueError(f"p is {p!r}; choose 1 (l1) or 2 (l2).")
        super().__init__(normalize_embeddings=False, power=1, **options)
        self.metric = f"l{p}"

    def compute_mat(self, query_emb: Tensor, ref_emb: Tensor | None) -> Tensor:
        return _torus(query_emb).distances(query_emb, query_emb if ref_emb is None else ref_emb, self.metric)

    def pairwise_distance(self, query_emb: Tensor, ref_emb: Tensor) -> Tensor:
        return _torus(query_emb).distance(query_emb, ref_emb, self.metric)


def _torus(points: Tensor) -> Torus:
    return TorusN(points.shape[-1])
