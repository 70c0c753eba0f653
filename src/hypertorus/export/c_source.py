"""Writes `model.c` and `model.h`: tables of constants, and the few functions that read them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hypertorus import __version__
from hypertorus.codes.packing import packed_width
from hypertorus.export.c_columns import WINDOW_HEADER, window_bytes, window_defines, window_functions
from hypertorus.export.c_statistics import (
    STATISTICS_HEADER,
    statistics_bytes,
    statistics_defines,
    statistics_functions,
)
from hypertorus.export.known import Known
from hypertorus.export.layers import Directions, Hidden, Layer
from hypertorus.export.network import IntegerNetwork
from hypertorus.export.prototypes import Prototypes
from hypertorus.export.statistics import Statistics
from hypertorus.export.table import Table
from hypertorus.export.tables import label_bytes

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Source:
    """The two files as text."""

    header: str
    code: str


def c_source(known: Known, chosen: Prototypes, tables: list[Table]) -> Source:
    """Return both files, from the classes, the codes that are stored, and the tables of the codes and the network."""
    network = known.network
    what = "a classifier by the nearest torus code" + (", with the network that makes the codes." if network else ".")
    words = {"what": what, "version": __version__, "name": _comment(known.name)}
    header = {
        **words,
        "defines": _defines(known, chosen),
        "encode": "" if network is None else _encode_header(network),
    }
    code = {
        **words,
        "layers": _innermost(network),
        "bits": str(known.bits),
        "class_bits": "8" if len(known.classes) <= 256 else "16",
        "aligned": _ALIGNED if any(table.aligned for table in tables) else "",
        "tables": "\n\n".join(table.c() for table in tables) + "\n",
        "encode": "" if network is None else encode_function(network) + "\n\n",
    }
    return Source(_filled("model.h", header), _filled("model.c", code))


def encode_function(network: IntegerNetwork) -> str:
    """Return `ht_encode`, and the functions of a window if the network hears sounds."""
    if isinstance(network.columns, Statistics):
        return statistics_functions(_layer_loops(network, "numbers", "hypertorus_dot_u16")) + _PICTURE
    if network.columns is not None:
        return window_functions(network.columns, _layer_loops(network, "sums", "hypertorus_dot_u16")) + _PICTURE
    dot = "hypertorus_dot_s8" if network.signed else "hypertorus_dot_u8"
    begin = "void ht_encode(const ht_input *input, uint8_t *code) {"
    return "\n".join([begin, *_layer_loops(network, "input", dot), "}"])


_PICTURE = """
void ht_encode(const ht_input *input, uint8_t *code) {
    ht_window window;
    uint8_t bands[HT_BANDS];
    ht_window_begin(&window);
    for (uint16_t frame = 0; frame < HT_FRAMES; frame++) {
        for (uint16_t band = 0; band < HT_BANDS; band++) bands[band] = input[band * HT_FRAMES + frame];
        ht_window_frame(&window, bands);
    }
    ht_window_code(&window, code);
}"""


def _layer_loops(network: IntegerNetwork, source: str, first_dot: str) -> list[str]:
    """Return a loop for each layer, whose outputs alternate between two arrays on the stack."""
    buffers, names, lines = buffer_sizes(network), ("one", "other"), list[str]()
    if buffers:
        declared = ", ".join(f"{name}[{size}]" for name, size in zip(names, buffers, strict=False))
        lines.append(f"    uint8_t {declared};")
    for number, layer in enumerate(network.layers, 1):
        target = names[(number - 1) % 2]
        lines += _layer_loop(layer, number, first_dot if number == 1 else "hypertorus_dot_u8", source, target)
        source = target
    return lines


def stack_bytes(network: IntegerNetwork) -> int:
    """Return the bytes of the arrays that `ht_encode` keeps on the stack."""
    columns = network.columns
    if columns is None:
        return sum(buffer_sizes(network))
    window = statistics_bytes(columns) if isinstance(columns, Statistics) else window_bytes(columns)
    return sum(buffer_sizes(network)) + window + columns.bands


def buffer_sizes(network: IntegerNetwork) -> list[int]:
    """Return the sizes in bytes of the arrays between layers, on the stack."""
    widths = [len(layer.weights) for layer in network.layers[:-1]]
    return [max(widths[first::2]) for first in (0, 1) if widths[first::2]]


def _layer_loop(layer: Layer, number: int, dot: str, source: str, target: str) -> list[str]:
    rows, columns = layer.weights.shape
    begin = f"    /*  Layer {number}: {columns} numbers to {rows}. */"

    def product(row: str) -> str:
        return f"{dot}(ht_weights_{number}[{row}], {source}, {columns})"

    def total(row: str) -> str:
        return f"{product(row)} + hypertorus_read_i32(ht_biases_{number} + {row})"

    if isinstance(layer, Hidden):
        return [
            begin,
            f"    for (uint16_t row = 0; row < {rows}; row++) {{",
            f"        int32_t sum = {total('row')};",
            f"        uint16_t multiplier = HYPERTORUS_READ16(ht_multipliers_{number} + row);",
            f"        uint8_t shift = HYPERTORUS_READ8(ht_shifts_{number} + row);",
            f"        {target}[row] = hypertorus_relu(sum, multiplier, shift, {layer.down});",
            "    }",
        ]
    if isinstance(layer, Directions):
        return [
            begin,
            "    for (uint16_t i = 0; i < HT_DIM; i++) {",
            f"        int32_t x = {total('2 * i')};",
            f"        int32_t y = {total('2 * i + 1')};",
            "        hypertorus_put(code, i, hypertorus_direction(x, y), HT_BITS);",
            "    }",
        ]
    return [
        begin,
        "    for (uint16_t i = 0; i < HT_DIM; i++) {",
        f"        int32_t sum = {product('i')};",
        f"        uint32_t multiplier = HYPERTORUS_READ32(ht_multipliers_{number} + i);",
        f"        uint32_t bias = HYPERTORUS_READ32(ht_biases_{number} + i);",
        "        hypertorus_put(code, i, hypertorus_overflow(sum, multiplier, bias), HT_BITS);",
        "    }",
    ]


def _defines(known: Known, chosen: Prototypes) -> str:
    network, rows = known.network, list[tuple[str, str]]()
    if network is not None:
        kind, says = _SIGNED if network.signed else _PIXELS if network.columns is None else _SPECTROGRAM
        rows += [
            (f"#define HT_INPUTS {network.inputs}", "numbers of an input"),
            (f"typedef {kind} ht_input;", says),
            *_window_defines(network),
        ]
    rows += [
        (f"#define HT_DIM {known.dim}", "coordinates of a code: angles on the torus"),
        (f"#define HT_BITS {known.bits}", "bits of a coordinate"),
        (f"#define HT_CODE_BYTES {packed_width(known.dim, known.bits)}", "coordinate 0 in the lowest bits of byte 0"),
        (f"#define HT_CODES {len(chosen.stored.codes)}", "stored codes, in flash"),
        (f"#define HT_CLASSES {len(known.classes)}", "classes they belong to, counted from 0"),
        (f"#define HT_LABEL_BYTES {label_bytes(known.classes)}", "the longest label with its final zero"),
    ]
    return "".join(f"{line:<26}/* {says} */\n" for line, says in rows)


_PIXELS = ("uint8_t", "the pixels as they are, 0..255: channel by channel, row by row")
_SIGNED = ("int8_t", "(number - mean) / std * 32 by inputs.csv, held to -128..127")

_SPECTROGRAM = ("uint8_t", "a spectrogram, 0..255: band by band, each with its frames")


def _encode_header(network: IntegerNetwork) -> str:
    if network.columns is None:
        return _ENCODE
    return (STATISTICS_HEADER if isinstance(network.columns, Statistics) else WINDOW_HEADER) + _ENCODE


def _innermost(network: IntegerNetwork | None) -> str:
    """Return the last part of the name of the header that includes all others."""
    if network is None or network.columns is None:
        return "layers"
    return "statistics" if isinstance(network.columns, Statistics) else "stream"


def _window_defines(network: IntegerNetwork) -> list[tuple[str, str]]:
    columns = network.columns
    if columns is None:
        return []
    return statistics_defines(columns) if isinstance(columns, Statistics) else window_defines(columns)


_ENCODE = """/*  The code of an input: HT_INPUTS numbers to HT_CODE_BYTES bytes. */
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
