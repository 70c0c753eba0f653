"""Projection heads, which stand between an encoder and the space of its embeddings."""

from __future__ import annotations

from torch import nn

from hypertorus.models.head_names import HEADS
from hypertorus.models.project import Project
from hypertorus.models.soft_schedule import Softness


class Head(nn.Sequential):
    """The paper's head: two layers with 4 x `dim` hidden numbers, ending in a space; `soft` is that of `Project`.

    >>> import torch
    >>> head = Head(512, dim=64, space="torusN")
    >>> head(torch.randn(8, 512)).shape
    torch.Size([8, 64])
    """

    def __init__(self, in_features: int, dim: int, space: str, soft: Softness = 0.0) -> None:
        project = Project(space, soft)
        project.space(dim)  # check dim here, not in the first training step
        hidden = 4 * dim
        super().__init__(nn.Linear(in_features, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, dim), project)


def head_by_name(name: str, in_features: int, dim: int, space: str) -> nn.Sequential:
    """Return a head that ends in a space: the paper's `two-layer`, `linear`, or `none` where features have that `dim`.

    >>> head_by_name("linear", 512, dim=64, space="torusN")
    Sequential(
      (0): Linear(in_features=512, out_features=64, bias=True)
      (1): Project('torusN')
    )
    """
    if name not in HEADS:
        raise ValueError(f"head is {name!r}; choose one of {', '.join(HEADS)}.")
    project = Project(space)
    project.space(dim)
    if name == "two-layer":
        return Head(in_features, dim, space)
    if name == "linear":
        return nn.Sequential(nn.Linear(in_features, dim), project)
    if in_features != dim:
        raise ValueError(
            f"dim is {dim}, but there are {in_features} features, and head 'none' keeps them; make dim {in_features}."
        )
    return nn.Sequential(project)
