"""Residual networks with fresh weights, from the transformers library."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from hypertorus.models.encoders.hugging_face import Transformers
from hypertorus.models.encoders.protocol import Shape, check_images, check_no_option


class ResNet18(Transformers):
    """ResNet-18 of He and others, 2016, table 1; the paper's encoder.

    The first layers, made for images of 224 pixels, shrink the image fourfold before the first residual block, and the
    whole network shrinks it 32-fold. For images under 64 pixels some implementations drop the first shrinking; the
    paper does not say, and here the network is that of the library.
    """

    settings: ClassVar[dict[str, Any]] = {
        "layer_type": "basic",
        "depths": [2, 2, 2, 2],
        "hidden_sizes": [64, 128, 256, 512],
    }

    @classmethod
    def named(cls, option: str, shape: Shape) -> Self:
        name = cls.__name__.lower()
        check_no_option(name, option)
        check_images(name, shape)
        config = {"model_type": "resnet", "embedding_size": 64, "num_channels": shape[0], **cls.settings}
        return cls(config, list(shape))


class ResNet34(ResNet18):
    """ResNet18 with more blocks."""

    settings: ClassVar[dict[str, Any]] = {**ResNet18.settings, "depths": [3, 4, 6, 3]}


class ResNet50(ResNet18):
    """ResNet34 with blocks of three layers, and 2048 features."""

    settings: ClassVar[dict[str, Any]] = {
        "layer_type": "bottleneck",
        "depths": [3, 4, 6, 3],
        "hidden_sizes": [256, 512, 1024, 2048],
    }
