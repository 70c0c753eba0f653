"""Statistics of frequency bands: an encoder for spectrograms, where there are too few to learn filters from."""

from __future__ import annotations

from typing import Any, Self

import torch
from torch import Tensor, nn

from hypertorus.models.encoders.protocol import Encoder, Shape, check_images, check_no_option


class Bands(Encoder):
    """Returns the mean, standard deviation and maximum over time of each band, normalised one by one.

    It has no weights, so a head on it needs few examples: with a thousand clips of 170 species it separates unseen
    species better than `small-audio` does. It captures the pitch of a voice and how its loudness varies, but no melody.

    >>> Bands(bands=128)(torch.rand(2, 1, 128, 101)).shape
    torch.Size([2, 384])
    """

    kind = "bands"

    def __init__(self, bands: int) -> None:
        super().__init__()
        self.bands, self.features = bands, 3 * bands
        self.norm = nn.BatchNorm1d(self.features, affine=False)

    @classmethod
    def named(cls, option: str, shape: Shape) -> Self:
        check_no_option(cls.kind, option)
        check_images(cls.kind, shape, channels=(1,), smallest=2)
        return cls(shape[1])

    def arguments(self) -> dict[str, Any]:
        return {"bands": self.bands}

    def forward(self, inputs: Tensor) -> Tensor:
        spectrogram = inputs[:, 0]
        deviation, mean = torch.std_mean(spectrogram, dim=2)
        return self.norm(torch.cat([mean, deviation, spectrogram.amax(dim=2)], dim=1))
