"""The projection head: what stands between an encoder and the space its embeddings live in."""

from __future__ import annotations

from torch import nn

from hypertorus.learn.project import Project


class Head(nn.Sequential):
    """The paper's head: two layers with 4 x `dim` hidden numbers, ending in a space.

    >>> import torch
    >>> head = Head(512, dim=64, space="torusN")
    >>> head(torch.randn(8, 512)).shape
    torch.Size([8, 64])
    """

    def __init__(self, in_features: int, dim: int, space: str) -> None:
        project = Project(space)
        project.space(dim)  # a dim the space cannot have is an error here, not in the first training step
        hidden = 4 * dim
        super().__init__(nn.Linear(in_features, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, dim), project)
