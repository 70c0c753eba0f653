"""ProtoCLR: contrasts every embedding with the prototypes of the classes in its batch."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ProtoCLRLoss(nn.Module):
    """Prototypical contrastive loss (Moummad and others, 2024), where a class is represented by its mean.

    Each of the 2n points is compared with the mean of every class of the batch, over both views, at a temperature;
    the loss is the cross-entropy of its own class. It makes n x classes comparisons where SupCon makes n x n.

    >>> views = torch.nn.functional.normalize(torch.randn(2, 32, 16), dim=-1)
    >>> bool(ProtoCLRLoss()(views[0], views[1], torch.arange(32) % 4) > 0)
    True
    """

    def __init__(self, temperature: float = 0.1) -> None:
        super().__init__()
        self.temperature = temperature

    def forward(self, first: Tensor, second: Tensor, labels: Tensor) -> Tensor:
        """Return the loss of two views of unit-norm points [n, width] with labels [n]."""
        points = torch.cat([first, second])
        _, classes = torch.unique(labels, return_inverse=True)
        members = nn.functional.one_hot(classes).repeat(2, 1).to(points.dtype)
        prototypes = members.T @ points / members.sum(dim=0).unsqueeze(1)
        return nn.functional.cross_entropy(points @ prototypes.T / self.temperature, classes.repeat(2))
