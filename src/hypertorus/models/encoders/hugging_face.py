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


class Transformers(Encoder):
    """Any vision model of the library that gives one vector an image: its pooled output, or else the mean of its last.

    `transformers:PATH` is a checkpoint, a folder with `config.json` and safetensors weights, or a `config.json` alone;
    `transformers:MODEL_TYPE` is a kind of model with the library's settings for it, for example `convnext`. A model
    with fresh weights is built for the size and the channels of the data. One with weights has its own: images are
    then scaled to its size, and grey ones shown to it as colour.

    >>> tiny = {"model_type": "resnet", "embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1]}
    >>> Transformers(tiny, shape=[3, 32, 32])(torch.randn(2, 3, 32, 32)).shape
    torch.Size([2, 16])
    """

    kind = "transformers"

    def __init__(self, config: dict[str, Any], shape: list[int], network: Any = None) -> None:
        super().__init__()
        self.shape = tuple(shape)
        self.network: Any = _fresh(config) if network is None else network
        self.network_config = _without_references(json.loads(self.network.config.to_json_string(use_diff=False)))
        name, wanted = f"transformers:{self.network_config['model_type']}", self.network.main_input_name
        if wanted != "pixel_values":
            raise ValueError(f"encoder {name!r} takes {wanted}, not images; choose a vision model.")
        self.size = _size(self.network_config.get("image_size"), self.shape[1:])
        self.features = features_of(self, name, self.shape)

    @classmethod
    def named(cls, option: str, shape: Shape) -> Self:
        check_images(cls.kind, shape, channels=(1, 3))
        path = Path(option)
        if option and path.is_dir():
            return cls._checkpoint(path, shape)
        if option and path.is_file():
            return cls(_fitted(_read_json(path), shape), list(shape))
        if option in CONFIG_MAPPING:
            return cls(_fitted({"model_type": option}, shape), list(shape))
        raise ValueError(
            f"encoder is 'transformers:{option}'; after the colon goes a checkpoint's folder, a config.json, or a "
            "model type of the library, for example 'transformers:convnext'."
        )

    @classmethod
    def _checkpoint(cls, folder: Path, shape: Shape) -> Self:
        for name in ("config.json", "model.safetensors*"):
            if not any(folder.glob(name)):
                raise FileNotFoundError(f"{folder} has no {name.rstrip('*')}; pass the folder of a whole checkpoint.")
        network, report = AutoModel.from_pretrained(
            folder,
            config=_settings(_read_json(folder / "config.json")),
            local_files_only=True,
            use_safetensors=True,
            trust_remote_code=False,
            dtype=torch.float32,
            output_loading_info=True,
        )
        # Classifiers are often saved without the pooling layer in front of them; it is trained with the head.
        missing = sorted(name for name in report["missing_keys"] if "pooler" not in name)
        if missing:
            raise ValueError(
                f"the weights in {folder} lack {missing[0]}; they are not of the model in its config.json."
            )
        encoder = cls(network.config.to_dict(), list(shape), network.train())
        if (folder / "preprocessor_config.json").is_file():
            wish = _read_json(folder / "preprocessor_config.json")
            encoder.mean = per_channel(wish.get("image_mean"), shape[0])
            encoder.std = per_channel(wish.get("image_std"), shape[0])
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


def _fresh(config: dict[str, Any]) -> Any:
    build: Any = AutoModel.from_config
    return build(_settings(config), trust_remote_code=False, dtype=torch.float32)


def _settings(config: dict[str, Any]) -> Any:
    """The library's own object for a configuration."""
    model_type = config.get("model_type")
    if not isinstance(model_type, str) or model_type not in CONFIG_MAPPING:
        raise ValueError(f"the config's model_type is {model_type!r}; this version of transformers has no such model.")
    return CONFIG_MAPPING[model_type].from_dict(_without_references(config))


def _fitted(config: dict[str, Any], shape: Shape) -> dict[str, Any]:
    """The same model for data of this shape, as far as the model has these settings."""
    wanted = {"num_channels": shape[0], "image_size": shape[1] if shape[1] == shape[2] else list(shape[1:])}
    known = _settings(config)
    return {**config, **{name: value for name, value in wanted.items() if hasattr(known, name)}}


def _without_references(config: Any) -> Any:
    """A configuration without whatever points to other files or code, and without the names of classes.

    A model folder may come from anywhere: what it builds is a model of this library and nothing else.
    """
    if not isinstance(config, dict):
        return config
    return {
        name: _without_references(value)
        for name, value in config.items()
        if not (name.startswith("_") or name.endswith("_implementation") or name in _REFERENCES)
    }


_REFERENCES = {"architectures", "auto_map", "id2label", "label2id", "quantization_config", "transformers_version"}


def _size(wanted: Any, given: Shape) -> tuple[int, int] | None:
    """The size that images must be scaled to, if they must."""
    if wanted is None:
        return None
    height, width = (wanted, wanted) if isinstance(wanted, int) else wanted
    return None if (height, width) == given else (height, width)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path} is no JSON; pass the config.json of a transformers model.") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path} is no JSON object; pass the config.json of a transformers model.")  # noqa: TRY004
    return content
