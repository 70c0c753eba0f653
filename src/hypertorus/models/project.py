"""The last layer: a space in the place where a network would normalise."""

from __future__ import annotations

from torch import Tensor, nn

from hypertorus.spaces import Space, space


class Project(nn.Module):
    """Takes raw numbers [..., D] to unit-norm points; put it where `F.normalize` stood.

    >>> import torch
    >>> network = torch.nn.Sequential(torch.nn.Linear(10, 16), Project("torusN"))
    >>> network(torch.randn(32, 10)).shape
    torch.Size([32, 16])
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.space(dim=2)  # an unknown name is an error here, not in the first training step

    def space(self, dim: int) -> Space:
        """The space that raw numbers of this width are taken to."""
        return space(self.name, dim)

    def forward(self, raw: Tensor) -> Tensor:
        return self.space(raw.shape[-1]).project(raw, check=False)

    def extra_repr(self) -> str:
        return repr(self.name)
