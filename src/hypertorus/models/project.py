"""The last layer of a network: it projects onto a space where a usual network normalises."""

from __future__ import annotations

from torch import Tensor, nn

from hypertorus.models.soft_schedule import Softness, SoftSchedule, checked_softness, softness_now
from hypertorus.spaces import Space, TorusN, space


class Project(nn.Module):
    """Projects raw numbers [..., D] to unit-norm points of a space; use it in place of `F.normalize`.

    With `soft`, a number or a `SoftSchedule`, torusN is soft in training: short pairs stay short. In evaluation mode
    the projection is always the hard one.

    >>> import torch
    >>> network = torch.nn.Sequential(torch.nn.Linear(10, 16), Project("torusN"))
    >>> network(torch.randn(32, 10)).shape
    torch.Size([32, 16])
    """

    def __init__(self, name: str, soft: Softness = 0.0) -> None:
        super().__init__()
        self.name = name
        self.space(dim=2)  # check the name here, not in the first training step
        if not isinstance(soft, SoftSchedule):
            soft = checked_softness(soft)
        if soft and name != TorusN.name:
            raise ValueError(f"soft is {soft}, but the space is {name!r}; only torusN has a soft projection.")
        self.soft = soft

    def space(self, dim: int) -> Space:
        """Return the space for raw numbers of this width."""
        return space(self.name, dim)

    def forward(self, raw: Tensor) -> Tensor:
        own = self.space(raw.shape[-1])
        if self.training and self.soft and isinstance(own, TorusN):
            return own.project(raw, soft=softness_now(self.soft), check=False)
        return own.project(raw, check=False)

    def extra_repr(self) -> str:
        return f"{self.name!r}, soft={self.soft!r}" if self.soft else repr(self.name)
