"""Configurations of the transformers library: which of them may build a network, and networks built from them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from transformers import CONFIG_MAPPING, AutoModel
from transformers.utils import logging


def fresh_network(config: dict[str, Any]) -> Any:
    build: Any = AutoModel.from_config
    return build(settings_of(config), trust_remote_code=False, dtype=torch.float32)


@contextmanager
def quiet_loading() -> Iterator[None]:
    """Keep the library from drawing a progress bar of its own while it loads weights."""
    bars: Any = logging
    shown = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            bars.enable_progress_bar()


def settings_of(config: dict[str, Any]) -> Any:
    """Return the library's own object for a configuration."""
    model_type = config.get("model_type")
    if not isinstance(model_type, str) or model_type not in CONFIG_MAPPING:
        raise ValueError(f"the config's model_type is {model_type!r}; the installed transformers has no such model.")
    return CONFIG_MAPPING[model_type].from_dict(allowed_config(config))


def allowed_config(config: Any) -> Any:
    """Return what the library itself says of this type of model: no names of files, of code, of classes or of others.

    A model folder may come from anywhere, so its configuration may build a model of this library and nothing else. The
    names that count are those of the library's own settings for the type; a backbone is a configuration of its own.
    """
    if isinstance(config, list):
        return [allowed_config(value) for value in config]
    if not isinstance(config, dict):
        return config
    names = config.keys() - _REFERENCES
    model_type = config.get("model_type")
    if model_type is not None:
        if not isinstance(model_type, str) or model_type not in CONFIG_MAPPING or model_type.startswith("timm"):
            raise ValueError(f"the config's model_type is {model_type!r}; it is no model of transformers alone.")
        names &= {"model_type", *CONFIG_MAPPING[model_type]().to_dict()}
    return {
        name: allowed_config(config[name])
        for name in config
        if name in names and not (name.startswith("_") or name.endswith("_implementation"))
    }


_REFERENCES = {
    *("architectures", "auto_map", "id2label", "label2id", "quantization_config", "transformers_version"),
    *("backbone", "backbone_kwargs", "use_timm_backbone", "use_pretrained_backbone"),
}


def read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path} is not JSON; pass the config.json of a transformers model.") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path} is not a JSON object; pass the config.json of a transformers model.")  # noqa: TRY004
    return content
