"""A residual network for small images that trains on a CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import torch
from torch import Tensor, nn

from hypertorus.models.encoders.protocol import FEW_PIXELS, Encoder, Shape, check_images, positive_option


class Small(Encoder):
    """Three stages of residual blocks, `width`, 2 x `width` and 4 x `width` channels wide, then the mean of all pixels.

    After He and others, 2016, section 4.2; `blocks` is the number of blocks in each stage. The first layer halves the
    image (unless `halve=False`, for small images), as do the later stages, so that layers can be wider for the same
    work. The features are normalised over the batch. The default network has 0.34 million weights, most of them in the
    last stage, where a weight costs least time.

    >>> Small(channels=3, width=16)(torch.randn(2, 3, 32, 32)).shape
    torch.Size([2, 64])
    """

    kind = "small"

    def __init__(
        self, channels: int, width: int = 24, blocks: Sequence[int] = (1, 1, 2), *, halve: bool = True
    ) -> None:
        super().__init__()
        self.channels, self.width, self.blocks, self.halve = channels, width, list(blocks), halve
        stem = convolution(channels, width, size=6, stride=2) if halve else convolution(channels, width)
        layers: list[nn.Module] = [stem, nn.BatchNorm2d(width), nn.ReLU(inplace=True)]
        before = width
        for stage, count in enumerate(blocks):
            after = width * 2**stage
            for block in range(count):
                layers.append(Block(before, after, stride=2 if stage and not block else 1))
                before = after
        self.features = before
        self.norm = nn.BatchNorm1d(before)
        # Channels last in memory: twice as fast as torch's usual order for so few channels.
        self.layers = nn.Sequential(*layers)
        self.layers.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    @classmethod
    def named(cls, option: str, shape: Shape) -> Self:
        check_images(cls.kind, shape, smallest=4)
        return cls(shape[0], positive_option(cls.kind, option, default=24), halve=min(shape[1:]) >= FEW_PIXELS)

    def arguments(self) -> dict[str, Any]:
        return {"channels": self.channels, "width": self.width, "blocks": self.blocks, "halve": self.halve}

    def forward(self, inputs: Tensor) -> Tensor:
        return self.norm(self.layers(inputs.contiguous(memory_format=torch.channels_last)).mean(dim=(2, 3)))


class Block(nn.Module):
    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.stride = stride
        self.first, self.first_norm = convolution(before, after, stride), nn.BatchNorm2d(after)
        self.second, self.second_norm = convolution(after, after), nn.BatchNorm2d(after)
        self.shortcut: nn.Module = nn.Identity()
        if before != after:
            self.shortcut = nn.Sequential(nn.Conv2d(before, after, kernel_size=1, bias=False), nn.BatchNorm2d(after))

    def forward(self, inputs: Tensor) -> Tensor:
        inner = self.first_norm(self.first(inputs)).relu_()
        # Every other pixel first, then stride 1, which equals stride 2: in the gradient of stride 2 with few channels
        # in channels-last order, oneDNN 3.12 writes past the end of its memory.
        skipped = self.shortcut(inputs[:, :, :: self.stride, :: self.stride])
        return (self.second_norm(self.second(inner)) + skipped).relu_()


def convolution(before: int, after: int, stride: int = 1, size: int = 3) -> nn.Conv2d:
    layer = nn.Conv2d(before, after, kernel_size=size, stride=stride, padding=(size - 1) // 2, bias=False)
    nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
    return layer
