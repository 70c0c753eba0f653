"""Training a head on a network that stays as it is: its features are computed once and kept."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import torch

from hypertorus.data import InMemory, Part
from hypertorus.files.atomic import replacing
from hypertorus.files.progress import Progress
from hypertorus.files.tensors import TensorFile, TensorFileError, tensor_bytes
from hypertorus.models.encoders import encoder
from hypertorus.models.model import Model

LOOKED_AT = 512
"""How many inputs of a part tell it from another of the same labels."""


def features_of(model: Model, part: Part, folder: Path, progress: Progress | None = None) -> InMemory:
    """The encoder's features of every input, from the cache in `folder` if this encoder saw this part before."""
    file = folder / f"{_fingerprint(model, part)}.safetensors"
    try:
        features = np.array(TensorFile(file)["features"])
    except (FileNotFoundError, TensorFileError, KeyError):
        features = model.rows(model.features, part, progress=progress)
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(file) as target:
            target.writelines(tensor_bytes({"features": features}, {}))
    return InMemory(torch.from_numpy(features), **vars(part.columns))


def head_model(model: Model, features: InMemory) -> Model:
    """A model of its own for the head of `model`, on features standardised one by one."""
    shape = features.shape
    std, mean = torch.std_mean(features.inputs.double(), dim=0)
    return Model(
        encoder("none", shape),
        shape,
        model.dim,
        model.space_name,
        head=model.head_name,
        mean=mean.tolist(),
        std=std.tolist(),
        classes=model.classes,
    )


def put_head(model: Model, trained: Model) -> None:
    """Give a model the head that was trained on its features; what standardised them goes into the first layer."""
    state = trained.head.state_dict()
    weight, bias = state["0.weight"].double(), state["0.bias"].double()
    folded = weight / trained.std.double()
    state["0.weight"], state["0.bias"] = folded.float(), (bias - folded @ trained.mean.double()).float()
    model.head.load_state_dict(state)


def folded_head(model: Model, shape: tuple[int, ...]) -> Model:
    """A model of features as they are, of this shape, that ends in the very head of `model`."""
    alone = Model(
        encoder("none", shape), shape, model.dim, model.space_name, head=model.head_name, classes=model.classes
    )
    alone.head = model.head
    return alone.eval()


def _fingerprint(model: Model, part: Part) -> str:
    seen = hashlib.sha256()
    for name, tensor in {**model.encoder.state_dict(), "mean": model.mean, "std": model.std}.items():
        seen.update(name.encode())
        seen.update(tensor.detach().cpu().numpy().tobytes())
    seen.update(repr((model.encoder.config(), part.shape, len(part))).encode())
    seen.update(part.labels.numpy().tobytes())
    places = np.unique(np.linspace(0, len(part) - 1, LOOKED_AT).astype(int))
    seen.update(part.__getitems__(places.tolist()).numpy().tobytes())
    return seen.hexdigest()[:32]
