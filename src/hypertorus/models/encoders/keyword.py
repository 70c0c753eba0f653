"""A network for words and calls that fits on a microcontroller."""

from __future__ import annotations

from typing import Any, Self

from torch import Tensor, nn

from hypertorus.models.encoders.protocol import Encoder, Shape, check_images, positive_option


class Keyword(Encoder):
    """Two-dimensional layers that quarter the bands and halve the frames, then residual layers along time.

    The layers are those of depthwise-separable networks for keywords (Zhang and others, 2017, "Hello Edge"), but along
    time alone once the rows of the picture have become channels. A ReLU follows every sum, so that all that passes
    between layers is at least 0, and a byte of an export in integers. With 32 bands and a width of 48 the network has
    14,352 weights; the features are the mean over time.

    >>> import torch
    >>> network = Keyword(bands=32, width=48)
    >>> network(torch.rand(2, 1, 32, 50)).shape, sum(w.numel() for w in network.parameters() if w.ndim > 1)
    (torch.Size([2, 48]), 14352)
    """

    kind = "keyword"

    def __init__(self, bands: int, width: int = 48, channels: int = 8, blocks: int = 4, reach: int = 9) -> None:
        super().__init__()
        self.bands, self.features = bands, width
        self.channels, self.blocks, self.reach = channels, blocks, reach
        self.picture = nn.Sequential(
            nn.Conv2d(1, channels, kernel_size=5, stride=2, padding=2, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, kernel_size=3, stride=(2, 1), padding=1, groups=channels, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, kernel_size=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
        )
        rows = ((bands + 1) // 2 + 1) // 2
        self.widen = nn.Sequential(
            nn.Conv1d(channels * rows, width, kernel_size=1, bias=False), nn.BatchNorm1d(width), nn.ReLU()
        )
        self.along = nn.Sequential(*(Along(width, reach) for _ in range(blocks)))

    @classmethod
    def named(cls, option: str, shape: Shape) -> Self:
        check_images(cls.kind, shape, channels=(1,), smallest=8)
        return cls(shape[1], positive_option(cls.kind, option, default=48))

    def arguments(self) -> dict[str, Any]:
        return {
            "bands": self.bands,
            "width": self.features,
            "channels": self.channels,
            "blocks": self.blocks,
            "reach": self.reach,
        }

    def forward(self, inputs: Tensor) -> Tensor:
        rows = self.picture(inputs).flatten(1, 2)  # [n, channels x rows, frames / 2]
        return self.along(self.widen(rows)).mean(dim=2)


class Along(nn.Module):
    """A depthwise and a pointwise convolution along time, added to what came in."""

    def __init__(self, width: int, reach: int) -> None:
        super().__init__()
        self.inner = nn.Sequential(
            nn.Conv1d(width, width, reach, padding=reach // 2, groups=width, bias=False),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.Conv1d(width, width, kernel_size=1, bias=False),
            nn.BatchNorm1d(width),
        )

    def forward(self, inputs: Tensor) -> Tensor:
        return (self.inner(inputs) + inputs).relu()
