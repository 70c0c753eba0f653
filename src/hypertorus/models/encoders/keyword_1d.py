"""A network for words and calls that fits on an 8-bit microcontroller."""

from __future__ import annotations

from typing import Any, Self

from torch import Tensor, nn

from hypertorus.models.encoders.keyword import Along
from hypertorus.models.encoders.protocol import Encoder, Shape, check_images, positive_option


class Keyword1d(Encoder):
    """The encoder `keyword` without its two-dimensional layers: bands become channels at once.

    It suits a dozen bands and a few dozen slices of time, as 8-bit chips can hear them. With 12 bands and a width of 24
    the network has 4,032 weights; the features are the mean over time.

    >>> import torch
    >>> network = Keyword1d(bands=12, width=24)
    >>> network(torch.rand(2, 1, 12, 25)).shape, sum(w.numel() for w in network.parameters() if w.ndim > 1)
    (torch.Size([2, 24]), 4032)
    """

    kind = "keyword-1d"

    def __init__(self, bands: int, width: int = 24, blocks: int = 4, reach: int = 9) -> None:
        super().__init__()
        self.bands, self.features = bands, width
        self.blocks, self.reach = blocks, reach
        self.widen = nn.Sequential(
            nn.Conv1d(bands, width, kernel_size=3, padding=1, bias=False), nn.BatchNorm1d(width), nn.ReLU()
        )
        self.along = nn.Sequential(*(Along(width, reach) for _ in range(blocks)))

    @classmethod
    def named(cls, option: str, shape: Shape) -> Self:
        check_images(cls.kind, shape, channels=(1,))
        return cls(shape[1], positive_option(cls.kind, option, default=24))

    def arguments(self) -> dict[str, Any]:
        return {"bands": self.bands, "width": self.features, "blocks": self.blocks, "reach": self.reach}

    def forward(self, inputs: Tensor) -> Tensor:
        return self.along(self.widen(inputs.squeeze(1))).mean(dim=2)
