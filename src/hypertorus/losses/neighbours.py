"""Neighbours: codes learn to have the neighbours of the vectors that they stand for, without any label."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

_FARTHEST = -1e9
"""Score of a pair that does not count."""
_NEAREST = 200
"""Number of nearest candidates on which the sharpness is measured; those further away hardly weigh."""


class NeighboursLoss(nn.Module):
    """Cross-entropy between the neighbours of vectors and those of their codes, as t-SNE and UMAP have targets.

    The target of an anchor is the softmax of its cosines to the candidates, times a sharpness that gives it the
    `perplexity`: that many candidates are its neighbours, however dense the vectors are around it. The codes' scores,
    times the same sharpness, are to have the same softmax, so they should be similarities on the scale of cosines.

    >>> vectors = nn.functional.normalize(torch.randn(64, 16), dim=-1)
    >>> cosines = (vectors @ vectors.T).fill_diagonal_(-torch.inf)
    >>> loss = NeighboursLoss(perplexity=5)
    >>> bool(loss(cosines, cosines) < loss(cosines.sign(), cosines))
    True
    """

    def __init__(self, perplexity: float = 20.0) -> None:
        super().__init__()
        if not perplexity > 1:
            raise ValueError(f"perplexity is {perplexity}; it is a number of neighbours, so choose more than 1.")
        self.perplexity = perplexity

    def forward(self, scores: Tensor, cosines: Tensor) -> Tensor:
        """Return the loss of scores [anchors, candidates] against cosines of the same shape.

        A pair whose cosine is -infinity does not count: that of an anchor with itself.
        """
        with torch.no_grad():
            sharp = sharpness(cosines, self.perplexity)
            target = torch.softmax(sharp * cosines, dim=1)
        student = torch.log_softmax((sharp * scores).masked_fill(cosines == -torch.inf, _FARTHEST), dim=1)
        return -(target * student).sum(dim=1).mean()


def sharpness(cosines: Tensor, perplexity: float, halvings: int = 25) -> Tensor:
    """Return the factor [anchors, 1] at which the softmax of each row of cosines has this perplexity, by bisection.

    Of few candidates, at most half can be neighbours.

    >>> cosines = torch.linspace(-1, 1, 1000).repeat(2, 1)
    >>> rows = torch.softmax(cosines * sharpness(cosines, 20), dim=1)
    >>> [round(torch.distributions.Categorical(row).perplexity().item(), 1) for row in rows]
    [20.0, 20.0]
    """
    nearest = cosines.topk(min(_NEAREST, cosines.shape[1]), dim=1).values
    counted = nearest.isfinite()
    behind = (nearest - nearest[:, :1]).masked_fill(~counted, _FARTHEST)
    entropy = (counted.sum(dim=1, keepdim=True) / 2).clamp(min=1, max=perplexity).log()
    low, high = torch.zeros_like(entropy), torch.full_like(entropy, math.log(1e6))
    for _ in range(halvings):
        middle = (low + high) / 2
        logarithms = torch.log_softmax(behind * middle.exp(), dim=1)
        blunt = -(logarithms.exp() * logarithms).sum(dim=1, keepdim=True) > entropy
        low, high = torch.where(blunt, middle, low), torch.where(blunt, high, middle)
    return ((low + high) / 2).exp()
