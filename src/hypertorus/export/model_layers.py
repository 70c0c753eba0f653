"""The weight matrices of a trained model, and its inputs in the form that a device takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hypertorus.export.network import VECTOR_UNIT, standardised
from hypertorus.export.quantise import Dense

if TYPE_CHECKING:
    from hypertorus.models import Model


def check_exportable(model: Model) -> None:
    """Raise an error unless the network consists of layers that a device has."""
    kind = model.encoder.kind
    if kind not in ENCODERS:
        raise ValueError(
            f"the model's encoder is {kind!r}; only {', '.join(map(repr, ENCODERS))} can be exported: train with "
            "--encoder mlp:WIDTH, keyword:WIDTH or bands, or export the codes alone, without --encoder."
        )
    if model.head_name not in HEADS:
        raise ValueError(
            f"the model's head is {model.head_name!r}; only {' and '.join(map(repr, HEADS))} can be exported."
        )


CONVOLUTIONAL = ("keyword", "keyword-1d")
HEARING = (*CONVOLUTIONAL, "bands")
"""Encoders whose part of a network takes a picture frame by frame, before the layers of the head."""
ENCODERS = ("mlp", "none", *HEARING)
HEADS = ("linear", "two-layer")


def dense_layers(model: Model) -> list[Dense]:
    """Return the linear layers; the first takes `device_inputs`, because normalisation is folded into its weights.

    Those of an encoder of `HEARING` are the head alone, and take its features.
    """
    from torch import nn

    modules = [module for part in (model.encoder, model.head) for module in part.modules()]
    first, *others = [Dense(floats(m.weight), floats(m.bias)) for m in modules if isinstance(m, nn.Linear)]
    if model.encoder.kind in HEARING:
        return [first, *others]
    if len(model.shape) == 1:
        return [Dense(first.weights / VECTOR_UNIT, first.biases), *others]
    mean, std = (np.broadcast_to(floats(numbers), model.shape).reshape(-1) for numbers in (model.mean, model.std))
    per_pixel = first.weights / std
    return [Dense(per_pixel / 255, first.biases - per_pixel @ mean), *others]


def device_inputs(model: Model, part: Any) -> npt.NDArray[Any]:
    """Return inputs [n, numbers] as bytes: the pixels of images, and vectors by `standardised`."""
    from hypertorus.models.inputs import batches

    rows = np.concatenate([batch.flatten(1).numpy() for batch in batches(part, model.shape, 512)])
    if len(model.shape) == 1:
        return standardised(rows, floats(model.mean), floats(model.std))
    return rows if rows.dtype == np.uint8 else np.rint(rows.astype(np.float32) * 255).astype(np.uint8)


def floats(tensor: Any) -> npt.NDArray[np.float64]:
    """Return a tensor as an array of float64."""
    return tensor.detach().cpu().double().numpy()


def scaling(model: Model) -> npt.NDArray[np.float64] | None:
    """Return the mean and standard deviation of each number of a vector, [numbers, 2]; None for images."""
    if len(model.shape) != 1:
        return None
    return np.stack([floats(model.mean), floats(model.std)], axis=1)
