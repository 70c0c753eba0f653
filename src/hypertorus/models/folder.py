"""The folder of a model: `model.safetensors`, and `config.json` with the checksum of the weights.

The weights hold the configuration, too, so that the one rename of `model.safetensors` replaces the model: whoever opens
it, at any moment and after any crash, gets the old model or the new one. `config.json` follows and is what people and
other programs read. It counts where its checksum is that of the weights, and otherwise the copy within them does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from hypertorus import __version__
from hypertorus.files.atomic import replacing
from hypertorus.files.tensors import TensorFile, TensorFileError, tensor_bytes

FORMAT = "hypertorus-model"
FORMAT_VERSION = 1
WEIGHTS, CONFIG = "model.safetensors", "config.json"
_INSIDE, _CHECKSUM = "config", "sha256"
"""Names in the metadata of the weights: the configuration as JSON, and a checksum of it and of all tensors."""


class ModelFiles(NamedTuple):
    """The configuration of a model and its file of weights, which belong together."""

    config: dict[str, Any]
    file: TensorFile

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of each tensor, by the header of the file."""
        return {name: tuple(self.file.header[name]["shape"]) for name in self.file}

    def weights(self) -> dict[str, Tensor]:
        """Return the tensors, copied into memory."""
        weights = {name: torch.from_numpy(self.file[name].copy()) for name in self.file}
        for name, tensor in weights.items():
            _check_numbers(f"{self.file.path} holds a NaN in {name}; train the model again.", tensor)
        return weights


def write_folder(folder: Path, config: dict[str, Any], weights: dict[str, Tensor]) -> None:
    """Write both files; floating-point weights are stored as float32, which a loaded model computes in."""
    arrays = {name: _array(name, tensor) for name, tensor in weights.items()}
    content = {"format": FORMAT, "format_version": FORMAT_VERSION, "hypertorus": __version__, **config}
    inside = _json(content).decode()  # an error here must come before anything is written
    check_replaceable(folder)
    folder.mkdir(parents=True, exist_ok=True)
    metadata = {"format": "pt", _INSIDE: inside}
    metadata[_CHECKSUM] = _checksum(metadata, arrays)
    digest = hashlib.sha256()
    with replacing(folder / WEIGHTS) as file:
        for piece in tensor_bytes(arrays, metadata):
            file.write(piece)
            digest.update(piece)
    with replacing(folder / CONFIG) as file:
        file.write(_json({**content, "sha256": digest.hexdigest()}))


def check_replaceable(folder: Path) -> None:
    """Raise an error if the folder holds a `config.json` or `model.safetensors` that is not of a hypertorus model."""
    if _is_ours(folder):
        return
    for name in (CONFIG, WEIGHTS):
        if (folder / name).exists():
            raise ValueError(
                f"{folder / name} is not of a hypertorus model, so it is not replaced; choose another folder."
            )


def _is_ours(folder: Path) -> bool:
    """Whether one of the two files bears our mark; the other may be missing after a crash."""
    try:
        config = json.loads((folder / CONFIG).read_bytes())
        if isinstance(config, dict) and config.get("format") == FORMAT:
            return True
    except (OSError, ValueError, RecursionError):
        pass
    try:
        return not (folder / CONFIG).exists() and _INSIDE in TensorFile(folder / WEIGHTS).metadata
    except (OSError, TensorFileError):
        return False


def open_folder(folder: Path) -> ModelFiles:
    """Return the configuration and the file of weights, after checking that they belong together."""
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}; pass the folder of a model.")
    config, path = _beside(folder / CONFIG), folder / WEIGHTS
    if config is None and not path.is_file():
        raise FileNotFoundError(f"{folder} has no {CONFIG}; pass the folder of a model.")
    if not path.is_file():
        raise FileNotFoundError(
            f"{folder} has no {WEIGHTS}; its save was cut short, or the file was not copied: save or copy it again."
        )
    file = TensorFile(path)
    if config is not None and file.sha256() == config["sha256"]:
        return ModelFiles(config, file)
    metadata = dict(file.metadata)
    checksum, inside = metadata.pop(_CHECKSUM, None), metadata.get(_INSIDE)
    if inside is None and config is None:
        raise FileNotFoundError(f"{folder} has no {CONFIG}; pass the folder of a model.")
    if inside is None or checksum != _checksum(metadata, {name: file[name] for name in file}):
        raise ValueError(
            f"{path} does not match the checksum in {CONFIG}; it was changed, or its save was cut short: save it again."
        )
    return ModelFiles(_checked(path, inside.encode()), file)


def read_config(folder: Path) -> dict[str, Any]:
    """Return the configuration; its `training` is the argument of `Model.save`."""
    return open_folder(folder).config


def _beside(path: Path) -> dict[str, Any] | None:
    """Return the configuration in `config.json`, or None if there is none yet."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return None
    config = _checked(path, text)
    if not isinstance(config.get("sha256"), str):
        raise ValueError(f"{path} has no valid 'sha256'; it was changed, or is damaged: save the model again.")  # noqa: TRY004
    return config


def _checksum(metadata: dict[str, str], tensors: Mapping[str, np.ndarray[Any, Any]]) -> str:
    digest = hashlib.sha256(json.dumps(metadata, sort_keys=True).encode())
    for name in sorted(tensors):
        digest.update(json.dumps([name, tensors[name].dtype.str, tensors[name].shape]).encode())
        digest.update(np.ascontiguousarray(tensors[name]).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _json(config: dict[str, Any]) -> bytes:
    try:
        return json.dumps(config, indent=2, allow_nan=False).encode() + b"\n"
    except (TypeError, ValueError) as error:
        raise ValueError(f"the model's config cannot be written as JSON: {error}.") from error


def _checked(path: Path, text: bytes) -> dict[str, Any]:
    try:
        config = json.loads(text)
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
