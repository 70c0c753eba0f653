"""The tables of an export: codes, labels, and the layers of a network."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes import pack
from hypertorus.export.column_tables import column_tables
from hypertorus.export.layers import Hidden, Layer, Overflows
from hypertorus.export.network import IntegerNetwork
from hypertorus.export.prototypes import Prototypes
from hypertorus.export.stages import Columns
from hypertorus.export.table import Table


def code_tables(chosen: Prototypes, classes: tuple[str, ...], bits: int, *, aligned: bool) -> list[Table]:
    """Return the tables of the codes, their classes and the labels of the classes."""
    numbers = chosen.stored.labels.astype(np.uint8 if len(classes) <= 256 else np.uint16)
    labels = np.array([name.encode() for name in classes], f"S{label_bytes(classes)}")
    stored = f"The stored codes ({chosen.kind}), packed."
    return [
        Table("ht_codes", pack(chosen.stored.codes, bits), stored, "codes", ("HT_CODES", "HT_CODE_BYTES"), aligned),
        Table("ht_code_classes", numbers, "The class of each stored code.", "classes of codes", ("HT_CODES",)),
        Table("ht_labels", labels, "What the classes are called, in UTF-8.", "labels", ("HT_CLASSES",)),
    ]


def label_bytes(classes: tuple[str, ...]) -> int:
    """Return the bytes of the longest label, with its final zero."""
    return max(len(name.encode()) for name in classes) + 1


def network_tables(network: IntegerNetwork) -> list[Table]:
    """Return the tables of the convolutions, if there are any, and of each layer, numbered from 1."""
    convolutions = column_tables(network.columns) if isinstance(network.columns, Columns) else []
    return convolutions + [
        table for number, layer in enumerate(network.layers, 1) for table in _layer_tables(layer, number)
    ]


def _layer_tables(layer: Layer, number: int) -> list[Table]:
    rows, columns = layer.weights.shape

    def a_row(name: str, numbers: npt.NDArray[Any], comment: str) -> Table:
        return Table(f"ht_{name}_{number}", numbers, f"Layer {number}: {comment}", "biases and multipliers")

    says = f"Layer {number}: the weights, {columns} for each of {rows} sums."
    tables = [Table(f"ht_weights_{number}", layer.weights, says, "weights")]
    if isinstance(layer, Overflows):
        return [
            *tables,
            a_row("multipliers", layer.multipliers, "what each sum is multiplied by; 2^32 is a whole turn."),
            a_row("biases", layer.biases, "what is added then, and overflows with it."),
        ]
    tables.append(a_row("biases", layer.biases, "what is added to each sum."))
    if isinstance(layer, Hidden):
        divided = f"each sum is multiplied by this and divided by 2^({layer.down} + shift), which gives 0..255."
        tables += [
            a_row("multipliers", layer.multipliers, divided),
            a_row("shifts", layer.shifts, "the shift of each sum."),
        ]
    return tables
