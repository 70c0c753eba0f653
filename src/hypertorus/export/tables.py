"""Tables of constants in C, and their sizes in flash."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes import pack
from hypertorus.export.layers import Hidden, Layer, Overflows
from hypertorus.export.network import IntegerNetwork
from hypertorus.export.prototypes import Prototypes


@dataclass(frozen=True)
class Table:
    """An array of numbers or of labels with its name in C and a comment."""

    name: str
    numbers: npt.NDArray[Any]
    comment: str
    group: str
    """Group of tables that its bytes are counted in."""
    sizes: tuple[str, ...] = ()
    """Lengths of its dimensions in C, if they have names."""
    aligned: bool = False

    @property
    def bytes(self) -> int:
        return int(self.numbers.nbytes)

    def c(self) -> str:
        """Return its definition in C, in flash.

        >>> print(Table("ht_shifts_1", np.array([3, 4], np.uint8), "How far.", "shifts").c())
        /*  How far. */
        static const uint8_t ht_shifts_1[2] HYPERTORUS_FLASH = {
            3, 4,
        };
        """
        sizes = "".join(f"[{size}]" for size in self.sizes or map(str, self.numbers.shape))
        kind = "char" if self.numbers.dtype.kind == "S" else f"{self.numbers.dtype}_t"
        if kind == "char":
            sizes += "[HT_LABEL_BYTES]"
        rows = self.numbers if self.numbers.ndim == 2 else [self.numbers]
        lines = [_row(row, braces=self.numbers.ndim == 2) for row in rows]
        comment = "\n".join(textwrap.wrap(self.comment, 116, initial_indent="/*  ", subsequent_indent=" *  "))
        aligned = " HT_ALIGNED" if self.aligned else ""
        definition = f"static const {kind} {self.name}{sizes}{aligned} HYPERTORUS_FLASH = {{"
        return "\n".join([comment + " */", definition, *lines, "};"])


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
    """Return the tables of each layer, numbered from 1."""
    return [table for number, layer in enumerate(network.layers, 1) for table in _layer_tables(layer, number)]


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


def _row(row: Any, *, braces: bool) -> str:
    if row.dtype.kind == "S":
        text = ", ".join(_text(label) for label in row)
    else:
        text = ", ".join(f"{number}u" if row.dtype == np.uint32 else str(number) for number in row)
    text = f"{{{text}}}," if braces else f"{text},"
    return textwrap.fill(
        text,
        120,
        initial_indent="    ",
        subsequent_indent="     " if braces else "    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _text(label: bytes) -> str:
    """Return a label as a C string; bytes outside plain ASCII are octal, which cannot run into what follows."""
    plain = (chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in label)
    return '"' + "".join(plain) + '"'
