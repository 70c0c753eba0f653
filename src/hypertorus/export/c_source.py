"""`model.c` and `model.h`: tables of constants, and the few functions that read them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hypertorus import __version__
from hypertorus.codes.packing import packed_width
from hypertorus.export.known import Known
from hypertorus.export.layers import Directions, Hidden, Layer
from hypertorus.export.network import IntegerNetwork
from hypertorus.export.prototypes import Prototypes
from hypertorus.export.tables import Table

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Source:
    """The two files as text."""

    header: str
    code: str


def c_source(known: Known, chosen: Prototypes, tables: list[Table]) -> Source:
    network = known.network
    code_bytes = packed_width(known.dim, known.bits)
    what = "a classifier by the nearest torus code" + (", with the network that makes the codes." if network else ".")
    words = {
        "what": what,
        "version": __version__,
        "name": _comment(known.name),
        "dim": str(known.dim),
        "bits": str(known.bits),
        "code_bytes": str(code_bytes),
        "codes": str(len(chosen.stored.codes)),
        "classes": str(len(known.classes)),
        "label_bytes": str(next(table.numbers.dtype.itemsize for table in tables if table.name == "ht_labels")),
        "class_bits": "8" if len(known.classes) <= 256 else "16",
        "header": "hypertorus_layers.h",
        "aligned": _ALIGNED if any(table.aligned for table in tables) else "",
        "tables": "\n\n".join(table.c() for table in tables) + "\n",
    }
    header = {**words, "input": _input(network), "encode": "" if network is None else _ENCODE_COMMENT}
    code = {**words, "encode": "" if network is None else encode_function(network, known.bits) + "\n\n"}
    return Source(_filled("model.h", header), _filled("model.c", code))


def encode_function(network: IntegerNetwork, bits: int) -> str:
    """`ht_encode`: a loop for each layer; what lies between them is kept in two arrays on the stack, in turn."""
    buffers = buffer_sizes(network)
    names = ("one", "other")
    lines = ["void ht_encode(const ht_input *input, uint8_t *code) {"]
    if buffers:
        declared = ", ".join(f"{name}[{size}]" for name, size in zip(names, buffers, strict=False))
        lines.append(f"    uint8_t {declared};")
    source = "input"
    for number, layer in enumerate(network.layers, 1):
        dot = "hypertorus_dot_s8" if number == 1 and network.signed else "hypertorus_dot_u8"
        target = names[(number - 1) % 2]
        lines += _layer_loop(layer, number, dot, source, target, bits)
        source = target
    return "\n".join([*lines, "}"])


def buffer_sizes(network: IntegerNetwork) -> list[int]:
    """Bytes of the arrays that `ht_encode` keeps on the stack."""
    widths = [len(layer.weights) for layer in network.layers[:-1]]
    return [max(widths[first::2]) for first in (0, 1) if widths[first::2]]


def _layer_loop(layer: Layer, number: int, dot: str, source: str, target: str, bits: int) -> list[str]:
    rows, columns = layer.weights.shape

    def summed(row: str) -> str:
        return f"{dot}(ht_weights_{number}[{row}], {source}, {columns})"

    def bias(row: str) -> str:
        return f"(int32_t)HYPERTORUS_READ32((const uint32_t *)ht_biases_{number} + {row})"

    if isinstance(layer, Hidden):
        return [
            f"    for (uint16_t row = 0; row < {rows}; row++) {{",
            f"        int32_t sum = {bias('row')} + {summed('row')};",
            f"        {target}[row] = hypertorus_relu(sum, HYPERTORUS_READ16(ht_multipliers_{number} + row),",
            f"                                   HYPERTORUS_READ8(ht_shifts_{number} + row), {layer.down});",
            "    }",
        ]
    if isinstance(layer, Directions):
        return [
            "    for (uint16_t i = 0; i < HT_DIM; i++) {",
            f"        int32_t x = {bias('2 * i')} + {summed('2 * i')};",
            f"        int32_t y = {bias('2 * i + 1')} + {summed('2 * i + 1')};",
            f"        hypertorus_put(code, i, hypertorus_direction(x, y), {bits});",
            "    }",
        ]
    return [
        "    for (uint16_t i = 0; i < HT_DIM; i++) {",
        f"        int32_t sum = {summed('i')};",
        f"        uint8_t angle = hypertorus_overflow(sum, HYPERTORUS_READ32(ht_multipliers_{number} + i),",
        f"                                            HYPERTORUS_READ32(ht_biases_{number} + i));",
        f"        hypertorus_put(code, i, angle, {bits});",
        "    }",
    ]


def _input(network: IntegerNetwork | None) -> str:
    if network is None:
        return ""
    kind, says = (
        ("int8_t", "(number - its mean) / its deviation * 32, held to -128..127; see inputs.csv")
        if network.signed
        else ("uint8_t", "the pixels as they are, 0..255; channel by channel, row by row")
    )
    return f"#define HT_INPUTS {network.inputs}     /* numbers of an input */\ntypedef {kind} ht_input; /* {says} */\n"


_ENCODE_COMMENT = """/*  The code of an input: HT_INPUTS numbers to HT_CODE_BYTES bytes. */
void ht_encode(const ht_input *input, uint8_t *code);

"""

_ALIGNED = """
/*  Codes begin at whole words, which this processor reads fastest. */
#define HT_ALIGNED __attribute__((aligned(4)))
"""


def _comment(text: str) -> str:
    return text.replace("*/", "* /").replace("\n", " ")


def _filled(name: str, words: dict[str, str]) -> str:
    text = (_TEMPLATES / name).read_text()
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text
