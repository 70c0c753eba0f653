"""The convolutions of a trained `keyword` or `keyword-1d` encoder, with batch normalisation folded into them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hypertorus.export.convolutions import Convolution
from hypertorus.export.kernel import Kernel
from hypertorus.export.model_layers import floats
from hypertorus.export.quantise import Dense

if TYPE_CHECKING:
    from hypertorus.models import Model


def keyword_convolutions(model: Model) -> list[Convolution]:
    """Return the convolutions of the encoder; the first takes bytes, because normalisation is folded into its weights.

    Padding is zero after normalisation, which is the mean before it: the byte next to the mean.
    """
    encoder: Any = model.encoder
    mean, std = float(model.mean.item()), float(model.std.item())
    if not 0 <= mean <= 1:
        raise ValueError(f"the mean of the model's inputs is {mean:g}, and bytes go from 0 to 1; train it again.")
    pad = round(255 * mean)
    front = _picture(encoder, pad) if encoder.kind == "keyword" else [_first_along(encoder, pad)]
    first, *others = [*front, *(part for block in encoder.along for part in _block(block))]
    per_byte = first.dense.weights / std
    folded = Dense(per_byte / 255, first.dense.biases - per_byte.sum(axis=1) * mean)
    return [Convolution(first.kernel, folded, first.each), *others]


def _picture(encoder: Any, pad: int) -> list[Convolution]:
    """Return the two-dimensional layers, and the one that turns their rows into channels."""
    layers, places, channels, made = encoder.picture, encoder.bands, 1, list[Convolution]()
    for number in range(0, len(layers), 3):  # a convolution, a normalisation and a ReLU
        convolution, norm = layers[number : number + 2]
        weights, biases = _folded(convolution, norm)  # [outputs, inputs, places, columns]
        each = convolution.groups > 1
        size, stride, padding = convolution.kernel_size, convolution.stride, convolution.padding
        kernel = Kernel(places, channels, size, stride, padding, 0 if number else pad)
        made.append(Convolution(kernel, _dense(weights.transpose(0, 3, 2, 1), biases), each))
        places, channels = kernel.out_places, len(weights)
    weights, biases = _folded(*encoder.widen[:2])
    by_place = weights.reshape(-1, channels, places).transpose(0, 2, 1)
    return [*made, Convolution(Kernel(places, channels, (places, 1)), _dense(by_place, biases))]


def _first_along(encoder: Any, pad: int) -> Convolution:
    weights, biases = _folded(*encoder.widen[:2])  # [outputs, bands, columns]
    bands, columns = weights.shape[1:]
    kernel = Kernel(bands, 1, (bands, columns), padding=(0, columns // 2), pad=pad)
    return Convolution(kernel, _dense(weights.transpose(0, 2, 1), biases))


def _block(block: Any) -> list[Convolution]:
    depthwise, norm, _, pointwise, last_norm = block.inner
    (weights, biases), (mixing, last_biases) = _folded(depthwise, norm), _folded(pointwise, last_norm)
    channels, columns = len(weights), weights.shape[2]
    return [
        Convolution(Kernel(1, channels, (1, columns), padding=(0, columns // 2)), _dense(weights, biases), each=True),
        Convolution(Kernel(1, channels, (1, 1)), _dense(mixing, last_biases), residual=True),
    ]


def _dense(weights: npt.NDArray[np.float64], biases: npt.NDArray[np.float64]) -> Dense:
    return Dense(weights.reshape(len(weights), -1), biases)


def _folded(convolution: Any, norm: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return weights and biases of a convolution and the batch normalisation after it, as one."""
    weights = floats(convolution.weight)
    factors = floats(norm.weight) / np.sqrt(floats(norm.running_var) + norm.eps)
    biases = floats(norm.bias) - floats(norm.running_mean) * factors
    return weights * factors.reshape(-1, *[1] * (weights.ndim - 1)), biases
