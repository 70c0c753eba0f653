"""What boards answer is what Python says they will, and nothing in the example's C is undefined."""

from pathlib import Path

import numpy as np
import pytest

from hypertorus.boards import BOARDS
from hypertorus.boards.reference import NEW, reference
from hypertorus.boards.trial import trial
from hypertorus.export.firmware import firmware
from hypertorus.export.folder import write_firmware

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "microcontroller" / "main.c"


@pytest.fixture(params=BOARDS)
def board(request):
    board = BOARDS[request.param]
    if missing := board.missing_tools():
        pytest.skip(f"not installed: {' '.join(missing)} (make setup-firmware)")
    return board


@pytest.mark.parametrize(
    "space, widths, bits, signed",
    [("torusC", (20, 12, 9), 8, False), ("torusN", (20, 12, 10), 4, True)],
    ids=["torusC-8-bit", "torusN-4-bit"],
)
def test_every_answer_is_python_s_before_and_after_learning(space, widths, bits, signed, board, random_known, tmp_path):
    known, inputs = random_known(3, space, widths, bits, signed=signed)
    made = firmware(known, 2, board.target)
    write_firmware(made, tmp_path / "export")
    lessons = inputs[:5]
    done = trial(board, tmp_path / "export", PROGRAM, inputs, lessons, work=tmp_path / "work")
    assert done.before == reference(made, inputs)
    assert done.after == reference(made, inputs, lessons)
    assert {answer.label for answer in done.after} > {NEW}
    assert {answer.label for answer in done.before} <= set(known.classes)


def test_inputs_that_do_not_fit_are_seen_in_further_rounds(random_known, tmp_path):
    board = BOARDS["atmega328p"]
    if missing := board.missing_tools():
        pytest.skip(f"not installed: {' '.join(missing)} (make setup-firmware)")
    known, inputs = random_known(4, "torusC", (200, 4, 4))
    made = firmware(known, 1, board.target)
    write_firmware(made, tmp_path / "export")
    many = np.concatenate([inputs, inputs[::-1], inputs])
    assert many.nbytes > board.flash
    done = trial(board, tmp_path / "export", PROGRAM, many, work=tmp_path / "work")
    assert len(list((tmp_path / "work").glob("round*"))) == 2
    assert done.before == reference(made, many)
    assert done.after == []
    assert "learn" not in done.costs
    assert 1000 < done.flash < 10_000
    assert 0 < done.stack < done.ram < board.ram
    assert done.costs["encode"].mean <= done.costs["encode"].most < 200 * 5 * 100


def test_the_set_up_installs_what_boards_need():
    wanted = {package for board in BOARDS.values() for package in board.tools.values()}
    wanted |= {board.library[1] for board in BOARDS.values() if board.library}
    installed = (ROOT / "Makefile").read_text().partition("FIRMWARE_PACKAGES :=")[2].partition("\n\n")[0]
    assert wanted - {"gcc"} <= set(installed.replace("\\", " ").split())
