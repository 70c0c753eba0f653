"""No network: a head on the inputs themselves."""

from __future__ import annotations

import math
from typing import Any, Self

from torch import Tensor

from hypertorus.models.encoders.protocol import Encoder, Shape, check_no_option


class Flatten(Encoder):
    """Returns its inputs, flattened; use it to train a head on features of another network.

    >>> import torch
    >>> Flatten(numbers=12)(torch.randn(2, 3, 2, 2)).shape
    torch.Size([2, 12])
    """

    kind = "none"

    def __init__(self, numbers: int) -> None:
        super().__init__()
        self.features = numbers

    @classmethod
    def named(cls, option: str, shape: Shape) -> Self:
        check_no_option(cls.kind, option)
        return cls(math.prod(shape))

    def arguments(self) -> dict[str, Any]:
        return {"numbers": self.features}

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs.flatten(1)
