"""The last layer of a network: it projects onto a space where a usual network normalises."""

from __future__ import annotations

from torch import Tensor, nn

from hypertorus.spaces import Space, space


class Project(nn.Module):
    """Projects raw numbers [..., D] to unit-norm points of a space; use it in place of `F.normalize`.

    >>> import torch
    >>> network = torch.nn.Sequential(torch.nn.Linear(10, 16), Project("torusN"))
    >>> network(torch.randn(32, 10)).shape
    torch.Size([32, 16])
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.space(dim=2)  # check the name here, not in the first training step

    def space(self, dim: int) -> Space:
        """Return the space for raw numbers of this width."""
        return space(self.name, dim)

    def forward(self, raw: Tensor) -> Tensor:
        return self.space(raw.shape[-1]).project(raw, check=False)

    def extra_repr(self) -> str:
        return repr(self.name)
