"""Exports on every board, and on this machine under sanitizers: each says what Python says, bit for bit."""

from pathlib import Path

import numpy as np
import pytest

from hypertorus.boards import BOARDS
from hypertorus.codes import pack
from hypertorus.evaluation.prototypes import CodePrototypes
from hypertorus.export.firmware import firmware
from hypertorus.export.folder import write_firmware
from hypertorus.search import distances, nearest

TARGETS = {"atmega328p": "avr", "riscv32": "riscv", "host": "portable"}
CASES = {
    "wide torusN": ("torusN", [300, 9, 12], 8, False),
    "deep torusC": ("torusC", [37, 8, 11, 5, 7], 4, False),
    "torusN of vectors": ("torusN", [261, 10], 2, True),
    "torusC of vectors": ("torusC", [30, 6, 19], 1, True),
}


def usable(name):
    if missing := BOARDS[name].missing_tools():
        pytest.skip(f"not installed: {' '.join(missing)} (make setup-firmware)")
    return BOARDS[name]


def build(board, known, inputs, folder, optimise):
    write_firmware(firmware(known, 5, TARGETS.get(board.name, "cortex-m")), folder / "firmware")
    rows = ",\n".join("{" + ", ".join(map(str, row)) + "}" for row in inputs.view(np.uint8).tolist())
    text = f"static const uint8_t inputs[][{inputs.shape[1]}] HYPERTORUS_FLASH = {{\n{rows}\n}};\n"
    (folder / "inputs.h").write_text(f"#define INPUTS {len(inputs)}\n{text}")
    sources = [Path(__file__).with_name("tour.c"), folder / "firmware" / "src" / "model.c"]
    return board.build(sources, [folder, folder / "firmware" / "src"], folder / "tour.elf", optimise=optimise)


def expected(known, inputs):
    """The lines of tour.c by Python's own codes, search and prototypes."""
    made = firmware(known, 5)
    stored = made.prototypes.stored
    codes = known.network.encode(inputs, known.bits)
    neighbours = nearest(stored.codes, codes, k=1, metric="l1", bits=known.bits)
    learned, lines = CodePrototypes(known.bits), []
    for n, code in enumerate(codes):
        found, away = int(neighbours.ids[n, 0]), int(neighbours.distances[n, 0])
        lines.append(("nearest", code, found, away))
        if n % 2:
            learned.learn(code, "new")
        if n == 0:
            lines.append(("learned", np.zeros_like(code), 0, int(stored.labels[found])))
            continue
        mean = learned.codes[0]
        closer = distances(code[None], mean[None], "l1", known.bits)[0, 0] < away
        number = len(known.classes) + 1 if closer else int(stored.labels[found])
        lines.append(("learned", mean, (n + 1) // 2, number))
    return [(name, *pack(code[None], known.bits)[0].tolist(), *numbers) for name, code, *numbers in lines]


WITHOUT_ASSEMBLY = [name for name in BOARDS if name not in ("host", "atmega328p")]


@pytest.mark.parametrize(
    ("name", "case"),
    [(name, case) for name in ("host", "atmega328p") for case in CASES]
    + [(name, case) for name in WITHOUT_ASSEMBLY for case in list(CASES)[:2]],
)
def test_a_board_says_what_python_says(name, case, random_known, tmp_path):
    board = usable(name)
    space, widths, bits, signed = CASES[case]
    known, inputs = random_known(len(case), space, widths, bits, signed=signed)
    inputs = inputs[-20:]
    lines = build(board, known, inputs, tmp_path, "-O3" if case == "wide torusN" else "-Os").run().splitlines()
    said = [(line.split()[0], *map(int, line.split()[1:])) for line in lines]
    assert said == expected(known, inputs)


ENCODERS = [
    ("host", {"kind": "keyword", "bands": 11, "width": 9, "channels": 3, "blocks": 2, "reach": 5}, 14),
    ("cortex-m4", {"kind": "keyword", "bands": 18, "width": 22, "channels": 7, "blocks": 2}, 14),
    ("riscv32", {"kind": "keyword", "bands": 9, "width": 5, "channels": 2, "blocks": 1}, 14),
    ("atmega328p", {"kind": "keyword-1d", "bands": 12, "width": 24, "blocks": 2}, 25),
    *((name, {"kind": "bands", "bands": 7}, 40) for name in BOARDS),
]


@pytest.mark.parametrize(("name", "encoder", "frames"), ENCODERS)
def test_a_board_hears_what_python_hears(name, encoder, frames, random_keyword, tmp_path):
    board = usable(name)
    _, known, inputs = random_keyword(len(name), "torusN", encoder, frames, count=4)
    lines = build(board, known, inputs, tmp_path, "-O2").run().splitlines()
    said = [(line.split()[0], *map(int, line.split()[1:])) for line in lines]
    assert said == expected(known, inputs)
