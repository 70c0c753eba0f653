"""Networks in integers: the C computes what Python does, bit for bit, and both what the floats meant."""

import math
from itertools import pairwise

import numpy as np
import pytest

from hypertorus.export.angle import angle_codes, direction_codes
from hypertorus.export.quantise import Dense, integer_network


@pytest.mark.parametrize("space", ["torusN", "torusC"])
@pytest.mark.parametrize(
    ("widths", "bits", "signed"),
    [([5, 6], 8, True), ([64, 16, 10], 8, False), ([30, 7, 12, 3, 6], 4, False), ([300, 9, 14], 2, True)],
    ids=str,
)
def test_c_and_python_agree_on_every_code(device, random_known, widths, bits, signed, space):
    for seed in range(2):
        known, inputs = random_known(seed, space, widths, bits, signed=signed)
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


def test_angles_are_those_of_the_library_but_for_the_rounding_of_the_table():
    rng = np.random.default_rng(4)
    x, y = rng.integers(-(2**15), 2**15, size=(2, 20_000))
    turns = np.arctan2(y, x) / math.tau % 1 * 256
    away = np.abs((angle_codes(x, y) + 0.5 - turns + 128) % 256 - 128)
    assert away.max() < 0.5 + 0.01


def test_long_directions_keep_theirs():
    assert direction_codes(np.array([2**31 - 1, -(2**31)]), np.array([2**31 - 1, 5])).tolist() == [32, 128]


def test_dead_rows_and_dead_layers_are_zero():
    inputs = np.full((3, 4), 255, np.uint8)
    layers = [Dense(np.zeros((3, 4)), np.array([0.0, -1.0, -5.0])), Dense(np.ones((2, 3)), np.array([1.0, 1.0]))]
    assert integer_network(layers, "torusN", inputs).encode(inputs).tolist() == [[32]] * 3


def test_whole_turns_overflow_and_leave_no_trace():
    inputs = np.arange(256, dtype=np.uint8)[:, None]
    row = Dense(np.array([[1 / 256]]), np.array([1000.0]))
    assert integer_network([row], "torusC", inputs).encode(inputs)[:, 0].tolist() == list(range(256))


@pytest.mark.parametrize(("rows", "kind"), [((2, 5), np.uint8), ((2, 4), np.int8), ((4,), np.uint8)])
def test_inputs_of_another_kind_are_refused(rows, kind):
    network = integer_network([Dense(np.eye(4), np.zeros(4))], "torusN", np.zeros((1, 4), np.uint8))
    with pytest.raises(ValueError, match="this network takes 4 numbers of uint8 each"):
        network.encode(np.zeros(rows, kind))
