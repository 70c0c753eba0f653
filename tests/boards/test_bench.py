"""What a distance costs on boards: the targets of the project, and that what is compared is right."""

import json
import subprocess
import sys

import pytest

from hypertorus.boards import BOARDS
from hypertorus.boards.bench import METHODS, measure, measure_words
from hypertorus.boards.bench.measure import CLASSES, _build

TORUS, SPHERE = METHODS["torus 8 bits"], METHODS["int8 dot 128"]
AT_MOST = {"atmega328p": 900, "cortex-m0": 780, "cortex-m3": 412, "cortex-m4": 110, "riscv32": 455}


def board(name):
    if missing := BOARDS[name].missing_tools():
        pytest.skip(f"{name} needs {', '.join(missing)} (make setup-firmware)")
    return BOARDS[name]


@pytest.mark.parametrize("name", AT_MOST)
def test_a_torus_code_is_cheaper_than_the_sphere_of_as_many_raw_numbers(name):
    torus, sphere = measure([board(name)], [TORUS, SPHERE])
    assert torus.from_ram <= torus.from_flash <= AT_MOST[name]
    assert torus.from_flash < sphere.from_flash
    assert torus.flash < sphere.flash
    for cost in (torus, sphere):
        assert cost.ram == cost.variables
        assert cost.constants < cost.flash < cost.constants + 1000


def found(board, method, folder):
    lines = map(str.split, _build(board, "cost.c", method, folder).run().splitlines())
    return {what: int(number) for what, number in lines if what.endswith("-distance")}


@pytest.mark.parametrize("name", ["host", "atmega328p", "cortex-m4"])
def test_the_best_of_a_kind_finds_what_the_plain_loop_finds(name, tmp_path):
    for kind in ("torus 8 bits", "int8 dot 128"):
        best, plain = (found(board(name), METHODS[method], tmp_path) for method in (kind, f"{kind}, plain"))
        assert best == plain
        assert len(set(best.values())) == 1


def test_what_is_too_large_for_a_board_is_not_built():
    (cost,) = measure([board("atmega328p")], [METHODS["float dot 128"]])
    assert cost.constants == 100 * 128 * 4 == METHODS["float dot 128"].flash(CLASSES)
    assert (cost.flash, cost.ram) == (None, None)


def test_words_are_learned_by_additions_and_scored_within_their_targets():
    (cost,) = measure_words([board("atmega328p")], ["l1"])
    assert cost.store == 10 * 40
    assert 25 * cost.add < cost.end < 150_000  # the mean is taken once, at the end of a lesson
    assert 10 * cost.background < cost.score < 6000
    assert 0 < cost.saving < cost.flash < 4600
    assert cost.stack < 250


def bench(*arguments, **environment):
    command = [sys.executable, "-c", "from hypertorus.cli import main; main()", "bench", "firmware", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment or None)


def test_the_command_prints_a_record_and_writes_rows(tmp_path):
    board("riscv32")
    done = bench("--board", "riscv32", "--json", "--csv", str(tmp_path / "rows.csv"))
    record = json.loads(done.stdout)
    assert record["command"] == "hypertorus bench firmware --board riscv32 --json"
    assert set(record["versions"]) == {
        "hypertorus",
        "riscv64-unknown-elf-gcc",
        "qemu-system-riscv32",
        "picolibc-riscv64-unknown-elf",
    }
    assert [row["method"] for row in record["result"]] == list(METHODS)
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == 1 + len(METHODS)


def test_an_unknown_board_and_one_without_tools_are_one_sentence():
    unknown = bench("--board", "z80")
    assert unknown.returncode == 1
    assert unknown.stderr.startswith("hypertorus: --board is 'z80'; choose one of atmega328p, ")
    missing = bench("--board", "cortex-m4", PATH="/nowhere")
    assert missing.returncode == 1
    assert "make setup-firmware" in missing.stderr
    assert "gcc-arm-none-eabi" in missing.stderr
    none = bench(PATH="/nowhere")
    assert none.returncode == 1
    assert "no board can be simulated here" in none.stderr
