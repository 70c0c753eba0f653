"""Computes the codes of a model's training data for a device, and the model's network in integers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from hypertorus.codes import check_bits
from hypertorus.export.bands_layers import bands_network
from hypertorus.export.convolutions import convolutional_network
from hypertorus.export.keyword_layers import keyword_convolutions
from hypertorus.export.known import Known, Labelled
from hypertorus.export.model_layers import CONVOLUTIONAL, check_exportable, dense_layers, device_inputs, scaling
from hypertorus.export.network import IntegerNetwork
from hypertorus.export.quantise import integer_network
from hypertorus.spaces import Torus

if TYPE_CHECKING:
    from hypertorus.datasets import Data
    from hypertorus.models import Model


def known_of_model(
    folder: Path,
    bits: int | None = None,
    *,
    encoder: bool = False,
    data: str | None = None,
    read: Callable[..., Data] | None = None,
) -> Known:
    """Return all training codes of a model: from its integer network with `encoder`, else from the model itself.

    They are the codes of `data`, by default the training data of the model; `read` replaces `read_data`.
    """
    from hypertorus.datasets import read_data
    from hypertorus.models import load
    from hypertorus.models.sources import reading_options

    depth, model = 8 if bits is None else check_bits(bits), load(folder)
    if not isinstance(model.space, Torus):
        raise ValueError(  # noqa: TRY004
            f"{folder} is on the sphere, whose codes do not wrap around; train with --space torusN or torusC."
        )
    if encoder:
        check_exportable(model)
    source = _source(folder, data)
    data_set = (read or read_data)(source, **reading_options(source, model.shape, model.sound, model.training_facts))
    if data_set.train.shape != model.shape:
        raise ValueError(
            f"inputs of {data_set.name} have shape {data_set.train.shape}, but {folder} takes {model.shape}; pass "
            "data of that shape with --data."
        )
    train, test = (Labelled(model.encode(part, depth), part.labels.numpy()) for part in (data_set.train, data_set.test))
    known = Known(folder.resolve().name, train, data_set.classes, depth, test)
    return _with_network(known, model, data_set) if encoder else known


def _with_network(known: Known, model: Model, data: Data) -> Known:
    """Return the same with the integer network and its codes, which are those of the device."""
    from hypertorus.sound.chip_ear import ChipEar

    inputs = [device_inputs(model, part) for part in (data.train, data.test)]
    network = integer_network_of(model, inputs[0])
    train, test = (network.encode(numbers, known.bits) for numbers in inputs)
    return replace(
        known,
        stored=known.stored._replace(codes=train),
        test=Labelled(test, data.test.labels.numpy()),
        network=network,
        scaling=scaling(model),
        ear=model.sound if isinstance(model.sound, ChipEar) else None,
        float_accuracy=known.accuracy(),
    )


def integer_network_of(model: Model, inputs: npt.NDArray[Any]) -> IntegerNetwork:
    """Return the network in integers, with scales from training inputs [n, numbers]."""
    if model.encoder.kind == "bands":
        return bands_network(model, dense_layers(model), inputs)
    if model.encoder.kind not in CONVOLUTIONAL:
        return integer_network(dense_layers(model), model.space_name, inputs)
    frames, head = model.shape[2], dense_layers(model)
    return convolutional_network(keyword_convolutions(model), frames, head, model.space_name, inputs)


def _source(folder: Path, data: str | None) -> str:
    from hypertorus.datasets.read import NAMES
    from hypertorus.models.folder import open_folder

    if data is not None:
        return data
    trained_on = open_folder(folder).config["training"].get("data")
    if trained_on not in NAMES:
        reason = (
            f"was trained on {trained_on!r}, which has no path" if trained_on else "does not record its training data"
        )
        raise ValueError(f"{folder} {reason}; pass the data with --data.")
    return str(trained_on)
