"""Networks in integers: the C computes what Python does, bit for bit, and both what the floats meant."""

import math
from itertools import pairwise

import numpy as np
import pytest

from hypertorus.export.quantise import Dense, integer_network


@pytest.mark.parametrize("bits", [8, 4, 2, 1])
@pytest.mark.parametrize("space", ["torusN", "torusC"])
@pytest.mark.parametrize("widths", [[5, 6], [64, 16, 10], [30, 7, 12, 3, 6], [300, 9, 8, 14]], ids=str)
def test_c_and_python_agree_on_every_code(device, random_known, widths, space, bits):
    for signed in (False, True):
        known, inputs = random_known(len(widths) + bits, space, widths, bits, signed=signed)
        assert np.array_equal(device(known).encode(inputs), known.network.encode(inputs, bits))


def float_codes(layers, space, inputs):
    numbers = inputs.astype(float)
    for layer in layers[:-1]:
        numbers = np.maximum(numbers @ layer.weights.T + layer.biases, 0)
    raw = numbers @ layers[-1].weights.T + layers[-1].biases
    turns = np.arctan2(raw[:, 1::2], raw[:, ::2]) / math.tau if space == "torusN" else raw
    return np.floor(turns * 256).astype(int) % 256


@pytest.mark.parametrize("space", ["torusN", "torusC"])
def test_integers_lie_near_the_floats(space):
    rng = np.random.default_rng(3)
    inputs = rng.integers(0, 256, size=(500, 40), dtype=np.uint8)
    widths = [40, 64, 64, 16]
    layers = [
        Dense(rng.normal(size=(out, into)) / math.sqrt(into), rng.normal(size=out) / 10)
        for into, out in pairwise(widths)
    ]
    layers[-1] = Dense(layers[-1].weights / 100, layers[-1].biases)
    codes = integer_network(layers, space, inputs).encode(inputs)
    away = np.abs((codes - float_codes(layers, space, inputs) + 128) % 256 - 128)
    assert np.median(away) <= 2
    assert np.mean(away) < 4
