"""KoLeo: spread embeddings evenly by pushing each away from its nearest neighbour."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class KoLeoLoss(nn.Module):
    """The regulariser of Sablayrolles and others, 2018, after the entropy estimator of Kozachenko and Leonenko.

    -mean log |x - nearest(x)|, where the nearest is the one with the largest dot product. Its gradient is the inverse
    of that distance, so clip gradients when you use it. Views are spread each by themselves and summed.

    >>> points = torch.nn.functional.normalize(torch.randn(2, 32, 16), dim=-1)
    >>> bool(KoLeoLoss()(points) > KoLeoLoss()(points[:, :2]))
    True
    """

    def __init__(self, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.distance = nn.PairwiseDistance(p=2, eps=1e-8)

    def forward(self, points: Tensor) -> Tensor:
        """Unit-norm points [n, width], or [views, n, width], to a number."""
        views = points.unsqueeze(0) if points.ndim == 2 else points
        if views.ndim != 3 or views.shape[1] < 2:
            raise ValueError(f"points has shape {tuple(points.shape)}; pass [n, width] or [views, n, width], n >= 2.")
        with torch.no_grad():
            similarity = views @ views.transpose(1, 2)
            similarity.diagonal(dim1=1, dim2=2).fill_(-2)
            nearest = similarity.argmax(dim=2)
        neighbours = torch.gather(views, 1, nearest.unsqueeze(-1).expand_as(views))
        return -torch.log(self.distance(views, neighbours) + self.eps).mean(dim=1).sum()
