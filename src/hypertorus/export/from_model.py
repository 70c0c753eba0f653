"""A trained model as an export takes it: its layers as matrices, and inputs as a device takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hypertorus.export.network import VECTOR_UNIT, standardised
from hypertorus.export.quantise import Dense

if TYPE_CHECKING:
    from hypertorus.learn import Model


def check_exportable(model: Model) -> None:
    """Raise unless the network is linear layers with ReLUs between them, and its space a torus."""
    kind = model.encoder.kind
    if kind not in ENCODERS:
        raise ValueError(
            f"the encoder is {kind!r}; for microcontrollers there are {' and '.join(map(repr, ENCODERS))}: train with "
            "--encoder mlp:WIDTH, or leave out --encoder to export codes alone."
        )
    if model.head_name not in HEADS:
        raise ValueError(
            f"the head is {model.head_name!r}; for microcontrollers there are {' and '.join(map(repr, HEADS))}."
        )


ENCODERS = ("mlp", "none")
HEADS = ("linear", "two-layer")


def layers(model: Model) -> list[Dense]:
    """The linear layers, of which the first takes inputs as `device_inputs` makes them: normalisation is folded in."""
    from torch import nn

    chain = [module for part in (model.encoder, model.head) for module in part.modules() if isinstance(module, nn.Linear)]
    dense = [Dense(_floats(linear.weight), _floats(linear.bias)) for linear in chain]
    first = dense[0]
    if len(model.shape) == 1:
        return [Dense(first.weights / VECTOR_UNIT, first.biases), *dense[1:]]
    mean, std = (np.broadcast_to(_floats(numbers), model.shape).reshape(-1) for numbers in (model.mean, model.std))
    per_pixel = first.weights / std
    return [Dense(per_pixel / 255, first.biases - per_pixel @ mean), *dense[1:]]


def device_inputs(model: Model, part: Any) -> npt.NDArray[Any]:
    """Inputs [n, numbers] as bytes: the pixels of images, and vectors as `standardised` has them."""
    from hypertorus.learn.inputs import batches

    rows = np.concatenate([batch.flatten(1).numpy() for batch in batches(part, model.shape, 512)])
    if len(model.shape) == 1:
        return standardised(rows, _floats(model.mean), _floats(model.std))
    return rows if rows.dtype == np.uint8 else np.rint(rows * 255).astype(np.uint8)


def _floats(tensor: Any) -> npt.NDArray[np.float64]:
    return tensor.detach().cpu().double().numpy()


def scaling(model: Model) -> npt.NDArray[np.float64] | None:
    """What whoever measures vectors must know: the mean and deviation of each number, [numbers, 2]."""
    if len(model.shape) != 1:
        return None
    return np.stack([_floats(model.mean), _floats(model.std)], axis=1)
