"""Training a head on a frozen encoder: the features are computed once and cached."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import torch

from hypertorus.datasets import InMemory, Part
from hypertorus.files.atomic import replacing
from hypertorus.files.progress import Progress
from hypertorus.files.tensors import TensorFile, TensorFileError, tensor_bytes
from hypertorus.models.encoders import encoder
from hypertorus.models.model import Model

FINGERPRINT_INPUTS = 512
"""Number of inputs of a part that go into its fingerprint, beside its labels."""


def features_of(model: Model, part: Part, folder: Path, progress: Progress | None = None) -> InMemory:
    """Return the encoder's features of every input, from the cache in `folder` if they are there."""
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
    """Return a model of the head alone, on features that are standardised one by one."""
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
    """Copy the head that was trained on features into the model; its first layer takes over their standardisation."""
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
    digest = hashlib.sha256()
    for name, tensor in {**model.encoder.state_dict(), "mean": model.mean, "std": model.std}.items():
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().numpy().tobytes())
    digest.update(repr((model.encoder.config(), part.shape, len(part))).encode())
    digest.update(part.labels.numpy().tobytes())
    rows = np.unique(np.linspace(0, len(part) - 1, FINGERPRINT_INPUTS).astype(int))
    digest.update(part.__getitems__(rows.tolist()).numpy().tobytes())
    return digest.hexdigest()[:32]
