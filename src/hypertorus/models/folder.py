"""The folder of a model: `model.safetensors`, and `config.json` with the checksum of the weights.

`files/tensor_folder.py` writes and opens it; here is what it holds for a model.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from hypertorus.files.tensor_folder import TensorFolder, is_a
from hypertorus.files.tensors import TensorFile


def _is_shape(value: Any) -> bool:
    return isinstance(value, list) and all(type(number) is int and number > 0 for number in value)


MODEL = TensorFolder(
    kind="model",
    version=1,
    fix="save the model again",
    keys={
        "encoder": is_a(dict),
        "shape": _is_shape,
        "dim": is_a(int),
        "space": is_a(str),
        "head": is_a(str),
        "classes": is_a(list),
        "training": is_a(dict),
    },
    library="pt",
)
WEIGHTS = MODEL.tensors


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
    MODEL.write(folder, config, {name: _array(name, tensor) for name, tensor in weights.items()})


def open_folder(folder: Path) -> ModelFiles:
    """Return the configuration, whose `training` is the argument of `Model.save`, and the file of weights."""
    return ModelFiles(*MODEL.open(folder))


def _array(name: str, tensor: Tensor) -> np.ndarray[Any, Any]:
    _check_numbers(
        f"{name} holds a NaN, so the model was not saved; train with a lower learning rate or clip gradients.", tensor
    )
    whole = tensor.detach().cpu().contiguous()
    return (whole.float() if whole.is_floating_point() else whole).numpy()


def _check_numbers(sentence: str, tensor: Tensor) -> None:
    if tensor.is_floating_point() and tensor.isnan().any():
        raise ValueError(sentence)
