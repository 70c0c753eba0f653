"""Quantises a trained network: 8-bit weights with a scale per row, and bytes between the layers.

A number between two layers is `scale` times its byte; byte 255 is the largest number that training inputs give. The
weights of a row are int8 times the scale of the row, but the two rows of a torusN pair share a scale, because only
their ratio matters. The factor from a row's sum to the next byte, scale of the inputs times scale of the row over scale
of the outputs, is an integer multiplier and a shift.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.export.layers import Directions, Hidden, Layer, Overflows
from hypertorus.export.network import IntegerNetwork

Floats = npt.NDArray[np.float64]

_LARGEST_BIAS = 2.0**29
_ROOM = 2.0**31 - 1


@dataclass(frozen=True)
class Dense:
    """A layer in floats: weights [rows, columns] and biases [rows]."""

    weights: Floats
    biases: Floats

    def __call__(self, numbers: npt.NDArray[Any]) -> Floats:
        return numbers @ self.weights.T + self.biases


def integer_network(
    layers: list[Dense], space: str, inputs: npt.NDArray[Any], largest_input: int = 255
) -> IntegerNetwork:
    """Return layers, with a ReLU after each but the last, as an integer network for a torus.

    The first layer takes integers up to `largest_input`; `inputs` are training inputs of that kind, which show how
    large numbers become.

    >>> inputs = np.random.default_rng(0).integers(256, size=(9, 4), dtype=np.uint8)
    >>> network = integer_network([Dense(np.eye(4), np.zeros(4))], "torusN", inputs)
    >>> network.encode(np.array([[0, 9, 9, 9]], np.uint8))
    array([[64, 32]], dtype=uint8)
    """
    scale, numbers, made = 1.0, inputs.astype(np.float64), list[Layer]()
    for layer in layers[:-1]:
        numbers = np.maximum(layer(numbers), 0)
        scaled = hidden_layer(layer, scale, float(numbers.max()))
        made.append(scaled.hidden)
        scale = scaled.scale
    made.append(_directions(layers[-1], scale) if space == "torusN" else _overflows(layers[-1], scale))
    signed = inputs.dtype == np.int8
    for number, each in enumerate(made):
        check_room(each.weights, each.biases, 255 if number else largest_input)
    return IntegerNetwork(tuple(made), signed)


class Scaled(NamedTuple):
    """A layer in integers and the scale of its outputs."""

    hidden: Hidden
    scale: float
    factors: npt.NDArray[np.uint16] | None
    """Steps of each row's sum that are one step of a residual, if there is one."""


def hidden_layer(layer: Dense, scale: float, largest: float, residual: float | None = None) -> Scaled:
    """Return the layer for inputs of this scale and outputs up to `largest`.

    `residual` is the scale of bytes that are added to the sums. A step of a row is then chosen so that a whole number
    of them is one step of the residual, and the addition is exact.
    """
    row_scales = _row_scales(layer, scale)
    if residual is not None:
        steps = np.clip(np.floor(residual / (row_scales * scale)), 1, 2**15 - 1)
        row_scales = np.maximum(row_scales, residual / (steps * scale))
    out_scale = max(largest / 255, float(row_scales.max()) * scale / 2**15)
    row_scales = np.maximum(row_scales, out_scale / scale / _LARGEST_BIAS)
    ratios = row_scales * scale / out_scale
    down = min(23, _exponent(float(ratios.max())))
    shifts = np.array([_exponent(float(ratio)) - down for ratio in ratios])
    shifts = np.minimum(shifts, 30)
    multipliers = np.minimum(np.rint(ratios * 2.0 ** (shifts + down)), 2**16 - 1)
    hidden = Hidden(
        _rounded(layer.weights, row_scales),
        np.rint(layer.biases / (row_scales * scale) + 0.5 / ratios).astype(np.int32),
        multipliers.astype(np.uint16),
        shifts.astype(np.uint8),
        down,
    )
    factors = None if residual is None else np.rint(residual / (row_scales * scale)).astype(np.uint16)
    return Scaled(hidden, out_scale, factors)


def _directions(layer: Dense, scale: float) -> Directions:
    row_scales = np.repeat(_row_scales(layer, scale).reshape(-1, 2).max(axis=1), 2)
    biases = np.rint(layer.biases / (row_scales * scale)).astype(np.int32)
    return Directions(_rounded(layer.weights, row_scales), biases)


def _overflows(layer: Dense, scale: float) -> Overflows:
    """Return the layer; the row scales follow from the rounded multipliers, so that nothing is rounded twice."""
    multipliers = np.maximum(np.ceil(_largest(layer.weights) / 127 * scale * 2.0**32), 1)
    biases = np.rint(layer.biases * 2.0**32) % 2.0**32
    weights = _rounded(layer.weights, multipliers / 2.0**32 / scale)
    return Overflows(weights, biases.astype(np.uint32), (multipliers % 2.0**32).astype(np.uint32))


def _row_scales(layer: Dense, scale: float) -> Floats:
    """Return the value of one step of an int8 weight in each row, large enough to keep the bias within range."""
    return np.maximum(_largest(layer.weights) / 127, np.maximum(np.abs(layer.biases) / scale / _LARGEST_BIAS, 1e-30))


def _largest(weights: Floats) -> Floats:
    return np.abs(weights).max(axis=1)


def _rounded(weights: Floats, row_scales: Floats) -> npt.NDArray[np.int8]:
    return np.clip(np.rint(weights / row_scales[:, None]), -127, 127).astype(np.int8)


def _exponent(ratio: float) -> int:
    """Return the largest exponent e for which ratio x 2^e fits a multiplier of 16 bits."""
    return math.floor(math.log2((2**16 - 0.5) / ratio))


def check_room(weights: npt.NDArray[np.int8], biases: npt.NDArray[Any], largest_input: float) -> None:
    """Raise an error if the sums of a layer could overflow 32 bits; those of torusC, with uint32 biases, may."""
    known = np.zeros(1) if biases.dtype == np.uint32 else np.abs(biases.astype(np.float64))
    if (np.abs(weights.astype(np.float64)).sum(axis=1) * largest_input + known).max() > _ROOM:
        raise ValueError(f"a layer has {weights.shape[1]} inputs, whose sum exceeds 32 bits; train a narrower network.")
