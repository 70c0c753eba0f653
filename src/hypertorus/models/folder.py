"""A model on disk: a folder with `model.safetensors` and `config.json`, which knows the checksum of the weights.

The weights are written first and the configuration last, each of them whole or not at all. Whoever looks in between, or
after a crash, finds a checksum that does not fit, and no model at all rather than a mixed one.
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
    """Write both files; numbers of other widths become float32, which is what a loaded model computes in."""
    arrays = {name: _array(name, tensor) for name, tensor in weights.items()}
    written = {"format": FORMAT, "format_version": FORMAT_VERSION, "hypertorus": __version__, **config}
    _json(written)  # what cannot be written is an error before anything is
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with replacing(folder / WEIGHTS) as file:
        for piece in tensor_bytes(arrays, {"format": "pt"}):
            file.write(piece)
            digest.update(piece)
    with replacing(folder / CONFIG) as file:
        file.write(_json({**written, "sha256": digest.hexdigest()}))


def read_folder(folder: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the weights, once it is clear that they belong together."""
    config = read_config(folder)
    path = folder / WEIGHTS
    if not path.is_file():
        raise FileNotFoundError(f"{folder} has no {WEIGHTS}; its save was cut short, or the file was left behind.")
    file = TensorFile(path)
    if file.sha256() != config["sha256"]:
        raise ValueError(f"{path} is not the file that {CONFIG} speaks of; it was changed, or its save was cut short.")
    weights = {name: torch.from_numpy(file[name].copy()) for name in file}
    for name, tensor in weights.items():
        _check_numbers(f"{path} holds a NaN in {name}; train the model again.", tensor)
    return config, weights


def _json(config: dict[str, Any]) -> bytes:
    try:
        return json.dumps(config, indent=2, allow_nan=False).encode() + b"\n"
    except (TypeError, ValueError) as error:
        raise ValueError(f"the model's config is not what JSON can hold: {error}.") from error


def read_config(folder: Path) -> dict[str, Any]:
    """What `config.json` says, without a look at the weights; its `training` is what was given to `save`."""
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}; pass the folder that a model was saved to.")
    path = folder / CONFIG
    if not path.is_file():
        raise FileNotFoundError(f"{folder} has no {CONFIG}; pass the folder that a model was saved to.")
    try:
        config = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no JSON; it was changed, or is damaged.") from error
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise ValueError(f"{path} is not of a hypertorus model; pass the folder that a model was saved to.")
    if config.get("format_version") != FORMAT_VERSION:
        version = config.get("format_version")
        raise ValueError(
            f"{path} has format version {version!r}, and this hypertorus reads {FORMAT_VERSION}; update it."
        )
    missing = [key for key, kind in _KEYS.items() if not isinstance(config.get(key), kind)]
    if not missing and not all(type(number) is int and number > 0 for number in config["shape"]):
        missing = ["shape"]
    if missing:
        raise ValueError(f"{path} has no valid {missing[0]!r}; it was changed, or is damaged.")
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
        f"{name} holds a NaN, so the model was not saved; train with a lower rate or clip gradients.", tensor
    )
    whole = tensor.detach().cpu().contiguous()
    return (whole.float() if whole.is_floating_point() else whole).numpy()


def _check_numbers(sentence: str, tensor: Tensor) -> None:
    if tensor.is_floating_point() and tensor.isnan().any():
        raise ValueError(sentence)
