"""A perceptron with two hidden layers, for vectors and for microcontrollers."""

from __future__ import annotations

import math
from typing import Any, Self

from torch import Tensor, nn

from hypertorus.models.encoders.protocol import Encoder, Shape, positive_option


class Mlp(Encoder):
    """Two layers of `width` numbers with ReLU, on flattened inputs of any shape.

    Without batch normalisation, the features of an input never depend on another input: training is the same on any
    number of processes, and an export is two matrices.

    >>> import torch
    >>> Mlp(numbers=64, width=256)(torch.randn(2, 1, 8, 8)).shape
    torch.Size([2, 256])
    """

    kind = "mlp"

    def __init__(self, numbers: int, width: int = 256) -> None:
        super().__init__()
        self.numbers, self.features = numbers, width
        self.layers = nn.Sequential(nn.Linear(numbers, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())

    @classmethod
    def named(cls, option: str, shape: Shape) -> Self:
        return cls(math.prod(shape), positive_option(cls.kind, option, default=256))

    def arguments(self) -> dict[str, Any]:
        return {"numbers": self.numbers, "width": self.features}

    def forward(self, inputs: Tensor) -> Tensor:
        return self.layers(inputs.flatten(1))
