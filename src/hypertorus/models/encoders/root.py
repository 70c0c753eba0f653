"""The square root of features, for non-negative features of another network."""

from __future__ import annotations

import math
from typing import Any, Self

from torch import Tensor

from hypertorus.models.encoders.protocol import Encoder, Shape, check_no_option


class Root(Encoder):
    """Returns the square root of each number, with its sign, as in RootSIFT (Arandjelović and Zisserman, 2012).

    The output of a ReLU is mostly small, with a few large numbers that would dominate all distances. Inputs are not
    normalised, because subtracting a mean would move the zeros.

    >>> import torch
    >>> Root(numbers=3)(torch.tensor([[0.0, 4.0, -9.0]]))
    tensor([[ 0.,  2., -3.]])
    """

    kind = "root"

    def __init__(self, numbers: int) -> None:
        super().__init__()
        self.features = numbers
        self.mean, self.std = (0.0,) * numbers, (1.0,) * numbers

    @classmethod
    def named(cls, option: str, shape: Shape) -> Self:
        check_no_option(cls.kind, option)
        if len(shape) != 1:
            raise ValueError(f"inputs have shape {shape}, and encoder 'root' takes vectors; choose another encoder.")
        return cls(math.prod(shape))

    def arguments(self) -> dict[str, Any]:
        return {"numbers": self.features}

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs.sign() * inputs.abs().sqrt()
