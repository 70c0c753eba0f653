"""Image models of the timm library, by its names."""

from __future__ import annotations

from typing import Any, Self

import torch.nn.functional as F
from torch import Tensor

from hypertorus.files.extras import require
from hypertorus.models.encoders.protocol import Encoder, Shape, check_images, features_of, per_channel


class Timm(Encoder):
    """`timm:NAME` with fresh weights, `timm:NAME,pretrained` with the weights that timm downloads for it.

    For a model that takes images of one size only, images are scaled to that size.
    """

    kind = "timm"

    def __init__(self, name: str, shape: list[int], network: Any = None) -> None:
        super().__init__()
        self.name, self.shape = name, tuple(shape)
        self.network: Any = _create(name, shape[0], pretrained=False) if network is None else network
        settings = self.network.pretrained_cfg
        fixed = tuple(settings["input_size"][1:]) if settings.get("fixed_input_size") else None
        self.size = fixed if fixed != self.shape[1:] else None
        self.features = features_of(self, f"timm:{name}", self.shape)

    @classmethod
    def named(cls, option: str, shape: Shape) -> Self:
        name, comma, word = option.partition(",")
        check_images(f"timm:{name}", shape)
        if comma and word != "pretrained":
            raise ValueError(f"encoder is 'timm:{option}'; put 'pretrained' after the comma, or leave the comma out.")
        network = _create(name, shape[0], pretrained=bool(comma))
        encoder = cls(name, list(shape), network)
        if comma:
            encoder.mean = per_channel(network.pretrained_cfg["mean"], shape[0])
            encoder.std = per_channel(network.pretrained_cfg["std"], shape[0])
        return encoder

    def arguments(self) -> dict[str, Any]:
        return {"name": self.name, "shape": list(self.shape)}

    def forward(self, inputs: Tensor) -> Tensor:
        if self.size:
            inputs = F.interpolate(inputs, self.size, mode="bilinear", antialias=True)
        return self.network(inputs).flatten(1)


def _create(name: str, channels: int, *, pretrained: bool) -> Any:
    require("timm", extra="timm")
    import timm

    if not timm.is_model(name):
        raise ValueError(f"encoder is 'timm:{name}'; timm has no such model: see timm.list_models().")
    return timm.create_model(name, pretrained=pretrained, num_classes=0, in_chans=channels)
