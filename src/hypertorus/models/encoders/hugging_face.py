"""Vision models of the transformers library, from a checkpoint or with fresh weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Self

import torch
import torch.nn.functional as F
from torch import Tensor

from hypertorus.files.extras import require
from hypertorus.models.encoders.protocol import Encoder, Shape, as_colour, check_images, features_of, per_channel

require("transformers", extra="vision")

from transformers import CONFIG_MAPPING, AutoModel  # noqa: E402

from hypertorus.models.encoders.transformers_config import (  # noqa: E402
    allowed_config,
    fresh_network,
    read_json,
    settings_of,
)


class Transformers(Encoder):
    """Any vision model of the library; the features are its pooled output, or else the mean of its last hidden state.

    `transformers:PATH` is a checkpoint, a folder with `config.json` and safetensors weights, or a `config.json` alone;
    `transformers:MODEL_TYPE` is a kind of model with the library's settings for it, for example `convnext`. A model
    with fresh weights is built for the size and the channels of the data. A checkpoint has its own: images are scaled
    to its size, and grey images get three equal channels.

    >>> tiny = {"model_type": "resnet", "embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1]}
    >>> Transformers(tiny, shape=[3, 32, 32])(torch.randn(2, 3, 32, 32)).shape
    torch.Size([2, 16])
    """

    kind = "transformers"

    def __init__(self, config: dict[str, Any], shape: list[int], network: Any = None) -> None:
        super().__init__()
        self.shape = tuple(shape)
        self.network: Any = fresh_network(config) if network is None else network
        self.network_config = allowed_config(json.loads(self.network.config.to_json_string(use_diff=False)))
        name, input_name = f"transformers:{self.network_config['model_type']}", self.network.main_input_name
        if input_name != "pixel_values":
            raise ValueError(f"encoder {name!r} takes {input_name}, not images; choose a vision model.")
        self.size = _size(self.network_config.get("image_size"), self.shape[1:])
        self.features = features_of(self, name, self.shape)

    @classmethod
    def named(cls, option: str, shape: Shape) -> Self:
        check_images(cls.kind, shape, channels=(1, 3))
        path = Path(option)
        if option and path.is_dir():
            return cls._checkpoint(path, shape)
        if option and path.is_file():
            return cls(_fitted(read_json(path), shape), list(shape))
        if option in CONFIG_MAPPING:
            return cls(_fitted({"model_type": option}, shape), list(shape))
        raise ValueError(
            f"encoder is 'transformers:{option}'; put the folder of a checkpoint, a config.json, or a model type of "
            "the library after the colon, for example 'transformers:convnext'."
        )

    @classmethod
    def _checkpoint(cls, folder: Path, shape: Shape) -> Self:
        for name in ("config.json", "model.safetensors*"):
            if not any(folder.glob(name)):
                raise FileNotFoundError(
                    f"{folder} has no {name.rstrip('*')}; pass the folder of a complete checkpoint."
                )
        network, report = AutoModel.from_pretrained(
            folder,
            config=settings_of(read_json(folder / "config.json")),
            local_files_only=True,
            use_safetensors=True,
            trust_remote_code=False,
            dtype=torch.float32,
            output_loading_info=True,
        )
        # Classifiers are often saved without the pooling layer before them; it is then trained with the head.
        missing = sorted(name for name in report["missing_keys"] if "pooler" not in name)
        if missing:
            raise ValueError(
                f"the weights in {folder} lack {missing[0]}; pass a checkpoint whose weights fit its config.json."
            )
        encoder = cls(network.config.to_dict(), list(shape), network.train())
        if (folder / "preprocessor_config.json").is_file():
            preprocessor = read_json(folder / "preprocessor_config.json")
            encoder.mean = per_channel(preprocessor.get("image_mean"), shape[0])
            encoder.std = per_channel(preprocessor.get("image_std"), shape[0])
        return encoder

    def arguments(self) -> dict[str, Any]:
        return {"config": self.network_config, "shape": list(self.shape)}

    def forward(self, inputs: Tensor) -> Tensor:
        images = as_colour(inputs) if self.network_config.get("num_channels", 3) == 3 else inputs
        if self.size:
            images = F.interpolate(images, self.size, mode="bilinear", antialias=True)
        output = self.network(images)
        pooled = getattr(output, "pooler_output", None)
        if pooled is not None:
            return pooled.flatten(1)
        last = output.last_hidden_state  # a map [n, features, height, width], or tokens [n, tokens, features]
        return last.mean(dim=(2, 3)) if last.ndim == 4 else last.mean(dim=1)


def _fitted(config: dict[str, Any], shape: Shape) -> dict[str, Any]:
    """Return the configuration for data of this shape, as far as the model has such settings."""
    fitted = {"num_channels": shape[0], "image_size": shape[1] if shape[1] == shape[2] else list(shape[1:])}
    settings = settings_of(config)
    return {**config, **{name: value for name, value in fitted.items() if hasattr(settings, name)}}


def _size(image_size: Any, own: Shape) -> tuple[int, int] | None:
    """Return the size to scale images of size `own` to, or None if they need no scaling."""
    if image_size is None:
        return None
    height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
    return None if (height, width) == own else (height, width)
