"""The folder of a model: `model.safetensors`, and `config.json` with the checksum of the weights.

The weights are written first and the configuration last, each of them atomically. In between, or after a crash, the
checksum does not fit, so that a mixture of two models is never loaded.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from hypertorus import __version__
from hypertorus.files.atomic import replacing
from hypertorus.files.tensors import TensorFile, tensor_bytes

FORMAT = "hypertorus-model"
FORMAT_VERSION = 1
WEIGHTS, CONFIG = "model.safetensors", "config.json"


def write_folder(folder: Path, config: dict[str, Any], weights: dict[str, Tensor]) -> None:
    """Write both files; floating-point weights are stored as float32, which a loaded model computes in."""
    arrays = {name: _array(name, tensor) for name, tensor in weights.items()}
    content = {"format": FORMAT, "format_version": FORMAT_VERSION, "hypertorus": __version__, **config}
    _json(content)  # an error here must come before anything is written
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with replacing(folder / WEIGHTS) as file:
        for piece in tensor_bytes(arrays, {"format": "pt"}):
            file.write(piece)
            digest.update(piece)
    with replacing(folder / CONFIG) as file:
        file.write(_json({**content, "sha256": digest.hexdigest()}))


def read_folder(folder: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Return the configuration and the weights, after checking that they belong together."""
    config = read_config(folder)
    path = folder / WEIGHTS
    if not path.is_file():
        raise FileNotFoundError(
            f"{folder} has no {WEIGHTS}; its save was cut short, or the file was not copied: save or copy it again."
        )
    file = TensorFile(path)
    if file.sha256() != config["sha256"]:
        raise ValueError(
            f"{path} does not match the checksum in {CONFIG}; it was changed, or its save was cut short: save it again."
        )
    weights = {name: torch.from_numpy(file[name].copy()) for name in file}
    for name, tensor in weights.items():
        _check_numbers(f"{path} holds a NaN in {name}; train the model again.", tensor)
    return config, weights


def _json(config: dict[str, Any]) -> bytes:
    try:
        return json.dumps(config, indent=2, allow_nan=False).encode() + b"\n"
    except (TypeError, ValueError) as error:
        raise ValueError(f"the model's config cannot be written as JSON: {error}.") from error


def read_config(folder: Path) -> dict[str, Any]:
    """Return `config.json` without checking the weights; its `training` is the argument of `Model.save`."""
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}; pass the folder of a model.")
    path = folder / CONFIG
    if not path.is_file():
        raise FileNotFoundError(f"{folder} has no {CONFIG}; pass the folder of a model.")
    try:
        config = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not valid JSON; it was changed, or is damaged: save the model again.") from error
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise ValueError(f"{path} is not the config of a hypertorus model; pass the folder of a model.")
    if config.get("format_version") != FORMAT_VERSION:
        version = config.get("format_version")
        raise ValueError(
            f"{path} has format version {version!r}, and this hypertorus reads {FORMAT_VERSION}; update hypertorus."
        )
    missing = [key for key, kind in _KEYS.items() if not isinstance(config.get(key), kind)]
    if not missing and not all(type(number) is int and number > 0 for number in config["shape"]):
        missing = ["shape"]
    if missing:
        raise ValueError(f"{path} has no valid {missing[0]!r}; it was changed, or is damaged: save the model again.")
    return config


_KEYS = {
    "encoder": dict,
    "shape": list,
    "dim": int,
    "space": str,
    "head": str,
    "classes": list,
    "sha256": str,
    "training": dict,
}


def _array(name: str, tensor: Tensor) -> np.ndarray[Any, Any]:
    _check_numbers(
        f"{name} holds a NaN, so the model was not saved; train with a lower learning rate or clip gradients.", tensor
    )
    whole = tensor.detach().cpu().contiguous()
    return (whole.float() if whole.is_floating_point() else whole).numpy()


def _check_numbers(sentence: str, tensor: Tensor) -> None:
    if tensor.is_floating_point() and tensor.isnan().any():
        raise ValueError(sentence)
