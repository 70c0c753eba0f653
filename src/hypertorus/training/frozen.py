"""Training a head on a frozen encoder: the features are computed once and cached."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from hypertorus import __version__
from hypertorus.datasets import InMemory, Part
from hypertorus.files.atomic import replacing
from hypertorus.files.progress import Progress
from hypertorus.files.tensors import TensorFile, TensorFileError, tensor_bytes
from hypertorus.models.encoders import encoder
from hypertorus.models.model import Model

PIECE = 512
"""Number of inputs that are read at a time for the fingerprint of a part."""


def features_of(model: Model, part: Part, folder: Path, progress: Progress | None = None) -> InMemory:
    """Return the encoder's features of every input, from the cache in `folder` if they are there and unchanged."""
    file = folder / f"{_fingerprint(model, part)}.safetensors"
    features = _cached(file)
    if features is None:
        features = model.rows(model.features, part, progress=progress)
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(file) as target:
            target.writelines(tensor_bytes({"features": features}, {"sha256": _checksum(features)}))
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


def _cached(file: Path) -> npt.NDArray[np.float32] | None:
    try:
        content = TensorFile(file)
        features = np.array(content["features"])
    except (OSError, TensorFileError, KeyError):
        return None
    return features if content.metadata.get("sha256") == _checksum(features) else None


def _checksum(features: npt.NDArray[np.float32]) -> str:
    return hashlib.sha256(repr((features.shape, features.dtype.str)).encode() + features.tobytes()).hexdigest()


def _fingerprint(model: Model, part: Part) -> str:
    """Return a checksum of the encoder and of every input."""
    digest = hashlib.sha256(repr((__version__, torch.__version__)).encode())
    for name, tensor in {**model.encoder.state_dict(), "mean": model.mean, "std": model.std}.items():
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().numpy().tobytes())
    digest.update(repr((model.encoder.config(), part.shape, len(part))).encode())
    digest.update(part.labels.numpy().tobytes())
    for begin in range(0, len(part), PIECE):
        digest.update(part.__getitems__(range(begin, min(begin + PIECE, len(part)))).numpy().tobytes())
    return digest.hexdigest()[:32]
