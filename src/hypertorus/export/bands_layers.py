"""The network of a trained `bands` encoder in integers: statistics of each band, and the layers of the head."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hypertorus.export.model_layers import floats
from hypertorus.export.network import IntegerNetwork
from hypertorus.export.quantise import Dense, integer_network
from hypertorus.export.statistics import MOST_FRAMES, Statistics

if TYPE_CHECKING:
    from hypertorus.models import Model


def bands_network(model: Model, head: list[Dense], inputs: npt.NDArray[np.uint8]) -> IntegerNetwork:
    """Return an integer network of the statistics of bands, and the linear layers of a head.

    `inputs` are training pictures [n, bands x frames]. The normalisation of inputs and of statistics is folded into the
    first layer. A deviation of floats is that of a sample, which is larger by `frames / (frames - 1)` in its square.
    """
    encoder: Any = model.encoder
    _, bands, frames = model.shape
    if not 2 <= frames <= MOST_FRAMES:
        raise ValueError(
            f"windows have {frames} frames, and statistics on a device are of 2 to {MOST_FRAMES}; train with windows "
            "or a hop of another length."
        )
    front, (first, *others) = Statistics(bands, frames), head
    per_byte = np.full(3 * bands, 1 / (255 * frames * float(model.std.item())))
    per_byte[bands : 2 * bands] *= np.sqrt(frames / (frames - 1))
    offsets = np.full(3 * bands, -float(model.mean.item()) / float(model.std.item()))
    offsets[bands : 2 * bands] = 0
    scales = 1 / np.sqrt(floats(encoder.norm.running_var) + encoder.norm.eps)
    normalised = first.weights * scales
    biases = first.biases + normalised @ (offsets - floats(encoder.norm.running_mean))
    folded = Dense(normalised * per_byte, biases)
    network = integer_network([folded, *others], model.space_name, front(inputs), 255 * frames)
    return replace(network, columns=front)
