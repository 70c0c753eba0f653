"""KoLeo: spreads embeddings evenly by pushing each away from its nearest neighbour."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class KoLeoLoss(nn.Module):
    """Regulariser of Sablayrolles and others, 2018, after the entropy estimator of Kozachenko and Leonenko.

    It is -mean log |x - nearest(x)|, where nearest(x) has the largest dot product with x. The gradient is the inverse
    of that distance, so clip gradients when you use it. Each view is spread on its own, and the losses are summed.

    >>> points = torch.nn.functional.normalize(torch.randn(2, 32, 16), dim=-1)
    >>> bool(KoLeoLoss()(points) > KoLeoLoss()(points[:, :2]))
    True
    """

    def __init__(self, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.distance = nn.PairwiseDistance(p=2, eps=1e-8)

    def forward(self, points: Tensor) -> Tensor:
        """Return the loss of unit-norm points [n, width] or [views, n, width]."""
        views = points.unsqueeze(0) if points.ndim == 2 else points
        if views.ndim != 3 or views.shape[1] < 2:
            raise ValueError(f"points has shape {tuple(points.shape)}; pass [n, width] or [views, n, width], n >= 2.")
        with torch.no_grad():
            similarity = views @ views.transpose(1, 2)
            similarity.diagonal(dim1=1, dim2=2).fill_(-2)
            nearest = similarity.argmax(dim=2)
        neighbours = torch.gather(views, 1, nearest.unsqueeze(-1).expand_as(views))
        return -torch.log(self.distance(views, neighbours) + self.eps).mean(dim=1).sum()
