"""The codes of a model's training data for a device, and the model's network in integers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hypertorus.codes import check_bits
from hypertorus.export.known import Known, Labelled
from hypertorus.export.model_layers import check_exportable, dense_layers, device_inputs, scaling
from hypertorus.export.quantise import integer_network
from hypertorus.spaces import Torus

if TYPE_CHECKING:
    from hypertorus.data import Data
    from hypertorus.models import Model


def known_of_model(
    folder: Path,
    bits: int | None = None,
    *,
    encoder: bool = False,
    data: str | None = None,
    read: Callable[..., Data] | None = None,
) -> Known:
    """All training codes of a model: of its integer network if the `encoder` goes along, else of the model itself.

    They are of `data`, by default what the model was trained on, read by `read_data` or by the like of it.
    """
    from hypertorus.data import read_data
    from hypertorus.models import load
    from hypertorus.models.sources import reading_options

    kept, model = 8 if bits is None else check_bits(bits), load(folder)
    if not isinstance(model.space, Torus):
        raise ValueError(  # noqa: TRY004
            f"{folder} lives on the sphere, whose codes do not wrap around; train with --space torusN or torusC."
        )
    if encoder:
        check_exportable(model)
    source = _source(folder, data)
    found = (read or read_data)(source, **reading_options(source, model.shape, model.sound, model.training_facts))
    if found.train.shape != model.shape:
        raise ValueError(f"inputs of {found.name} have shape {found.train.shape}, and {folder} takes {model.shape}.")
    train, test = (Labelled(model.encode(part, kept), part.labels.numpy()) for part in (found.train, found.test))
    known = Known(folder.resolve().name, train, found.classes, kept, test)
    return _with_network(known, model, found) if encoder else known


def _with_network(known: Known, model: Model, found: Data) -> Known:
    """The same by the network in integers, whose codes are the device's."""
    inputs = [device_inputs(model, part) for part in (found.train, found.test)]
    network = integer_network(dense_layers(model), model.space_name, inputs[0])
    train, test = (network.encode(numbers, known.bits) for numbers in inputs)
    return replace(
        known,
        stored=known.stored._replace(codes=train),
        test=Labelled(test, found.test.labels.numpy()),
        network=network,
        scaling=scaling(model),
        float_accuracy=known.accuracy(),
    )


def _source(folder: Path, data: str | None) -> str:
    from hypertorus.data.read import NAMES
    from hypertorus.models.folder import read_config

    if data is not None:
        return data
    trained_on = read_config(folder)["training"].get("data")
    if trained_on not in NAMES:
        says = f"was trained on {trained_on!r}, a name" if trained_on else "does not say what it was trained on,"
        raise ValueError(f"{folder} {says} by which it cannot be found; say where it is with --data.")
    return str(trained_on)
