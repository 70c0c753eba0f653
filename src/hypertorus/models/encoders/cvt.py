"""CvT-13, the encoder of ProtoCLR, with fresh weights, from the transformers library."""

from __future__ import annotations

from typing import Any, Self

from torch import Tensor, nn

from hypertorus.files.extras import require
from hypertorus.models.encoders.protocol import Encoder, Shape, check_images, check_no_option

require("transformers", extra="vision")

from transformers import CvtConfig, CvtModel  # noqa: E402


class Cvt13(Encoder):
    """CvT-13 of Wu and others, 2021, for images and spectrograms of 32 x 32 pixels or more.

    The features are the normalised class token, as in Moummad and others, 2024: 384 numbers. There are 19.6 million
    weights.
    """

    kind = "cvt13"

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.channels = channels
        build: Any = CvtModel
        self.network = build(CvtConfig(num_channels=channels))
        self.features = int(self.network.config.embed_dim[-1])
        self.norm = nn.LayerNorm(self.features)

    @classmethod
    def named(cls, option: str, shape: Shape) -> Self:
        check_no_option(cls.kind, option)
        check_images(cls.kind, shape, smallest=32)
        return cls(shape[0])

    def arguments(self) -> dict[str, Any]:
        return {"channels": self.channels}

    def forward(self, inputs: Tensor) -> Tensor:
        return self.norm(self.network(inputs).cls_token_value.squeeze(1))
