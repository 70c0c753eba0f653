"""Checks that a configuration describes the weights beside it, before any memory is taken for either.

A folder may come from anywhere. Its configuration is compared with the header of the weights by building the network on
torch's meta device, where tensors have shapes and no numbers, and the building ends as soon as it has more layers than
the file has tensors.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.modules.module import (
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)

from hypertorus.models.encoders import encoder_from_config
from hypertorus.models.head import head_by_name

LARGEST = 2**26
"""Numbers in an input or an embedding; three channels of 4,096 x 4,096 pixels are fewer."""
LONGEST_ENCODER = 100_000
"""Characters of JSON that describe an encoder."""

Shapes = Mapping[str, tuple[int, ...]]


def check_described(folder: Any, config: dict[str, Any], shapes: Shapes) -> None:
    """Raise an error unless a model of this configuration has tensors of these shapes, by name."""
    _check_input(folder, config, shapes)
    with torch.random.fork_rng(devices=[]), _at_most(100 + 20 * len(shapes)), torch.device("meta"):
        encoder = encoder_from_config(config["encoder"])
        head = head_by_name(config["head"], encoder.features, config["dim"], config["space"])
    expected = {
        f"{part}.{name}": tuple(tensor.shape)
        for part, network in (("encoder", encoder), ("head", head))
        for name, tensor in network.state_dict().items()
    }
    numbers = dict.fromkeys({"low", "span"} & shapes.keys() if config["space"] == "sphere" else (), (config["dim"],))
    expected |= numbers | {name: _per_channel(config) for name in ("mean", "std")}
    for name in sorted(expected.keys() | shapes.keys()):
        wanted, actual = expected.get(name), shapes.get(name)
        if wanted != actual:
            has = f"has {name} of shape {actual}" if actual is not None else f"has no {name}"
            wants = f"shape {wanted}" if wanted is not None else "none"
            raise ValueError(f"{folder} {has} where its config.json wants {wants}; the two are not of one model.")


def _check_input(folder: Any, config: dict[str, Any], shapes: Shapes) -> None:
    """Check what is known without building anything: the shape of an input and what the encoder says of it."""
    encoder, shape = config["encoder"], config["shape"]
    for name in ("mean", "std"):
        if shapes.get(name) != _per_channel(config):
            raise ValueError(
                f"{folder} has {name} of shape {shapes.get(name)} where its config.json wants shape "
                f"{_per_channel(config)}; the two are not of one model."
            )
    for what, numbers in (("shape", math.prod(shape)), ("dim", config["dim"])):
        if numbers > LARGEST:
            raise ValueError(
                f"{folder} has {what} {config[what]} in its config.json; {LARGEST:,} numbers are the most."
            )
    if "numbers" in encoder and encoder["numbers"] != math.prod(shape):
        raise ValueError(
            f"{folder} has an encoder of {encoder['numbers']!r} numbers for inputs of shape {tuple(shape)}; "
            "the two are not of one model."
        )
    if len(json.dumps(encoder)) > LONGEST_ENCODER:
        raise ValueError(f"{folder} describes its encoder in more than {LONGEST_ENCODER:,} characters; save it again.")


def _per_channel(config: dict[str, Any]) -> tuple[int, ...]:
    return (config["shape"][0], *[1] * (len(config["shape"]) - 1))


@contextmanager
def _at_most(layers: int) -> Iterator[None]:
    """Raise an error in the block when this thread builds more layers and parameters than this."""
    count, builder = 0, threading.get_ident()

    def counted(*_: Any) -> None:
        nonlocal count
        count += threading.get_ident() == builder
        if count > layers:
            raise ValueError("config.json describes a network of more layers than there are weights; save it again.")

    hooks = [
        register(counted)
        for register in (register_module_module_registration_hook, register_module_parameter_registration_hook)
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
