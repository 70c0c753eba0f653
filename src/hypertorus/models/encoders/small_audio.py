"""A residual network for spectrograms that trains on a CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import torch
from torch import Tensor, nn

from hypertorus.models.encoders.protocol import Encoder, Shape, check_images, positive_option
from hypertorus.models.encoders.small import Block, convolution


class SmallAudio(Encoder):
    """The stages of `Small` after a first layer that quarters the spectrogram; features keep their frequency.

    Each band is normalised on its own, because microphones and noise favour some bands. A feature is the mean plus the
    maximum over time (as in PANNs, Kong and others, 2020) of a channel in about an eighth of the bands: it depends on
    the frequency of a call, but not on its time. The default network has 0.34 million weights.

    >>> SmallAudio(bands=128, width=8)(torch.rand(2, 1, 128, 101)).shape
    torch.Size([2, 256])
    """

    kind = "small-audio"

    def __init__(self, bands: int, width: int = 24, blocks: Sequence[int] = (1, 1, 2)) -> None:
        super().__init__()
        self.bands, self.width, self.blocks = bands, width, list(blocks)
        self.band_norm = nn.BatchNorm2d(bands, affine=False)
        layers: list[nn.Module] = [
            convolution(1, width, size=8, stride=4),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
        ]
        before, rows = width, (bands - 2) // 4 + 1
        for stage, count in enumerate(blocks):
            after = width * 2**stage
            for block in range(count):
                layers.append(Block(before, after, stride=2 if stage and not block else 1))
                before = after
            rows = (rows + 1) // 2 if stage else rows
        self.features = before * rows
        self.norm = nn.BatchNorm1d(self.features)
        self.layers = nn.Sequential(*layers)
        self.layers.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    @classmethod
    def named(cls, option: str, shape: Shape) -> Self:
        check_images(cls.kind, shape, channels=(1,), smallest=16)
        return cls(shape[1], positive_option(cls.kind, option, default=24))

    def arguments(self) -> dict[str, Any]:
        return {"bands": self.bands, "width": self.width, "blocks": self.blocks}

    def forward(self, inputs: Tensor) -> Tensor:
        levelled = self.band_norm(inputs.transpose(1, 2)).transpose(1, 2)
        maps = self.layers(levelled.contiguous(memory_format=torch.channels_last))
        return self.norm((maps.mean(dim=3) + maps.amax(dim=3)).flatten(1))
