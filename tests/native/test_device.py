"""What ships to microcontrollers, by its own tests in C: on each board in its simulator, and here with sanitizers."""

import re
import subprocess
from pathlib import Path

import pytest

from hypertorus.boards import BOARDS

NATIVE = Path(__file__).parents[2] / "native"
SOURCE = NATIVE / "tests" / "test_device.c"
WAYS = {
    "atmega328p": {"l1_u8_avr", "l1_u8_avr_flash", "l1_u4_avr", "l1_u4_avr_flash"},
    "cortex-m4": {"l1_u8_dsp", "l1_u4_dsp", "l1_u8_swar"},
    "host": {"l1_u8_plain", "l1_u8_swar", "l1_u4_swar", "l1_u2_swar", "l1_u2_table", "l1_u1_swar"},
}


def printed_by(name: str, folder: Path, optimise: str = "-O2", **defines: str) -> str:
    board = BOARDS[name]
    if missing := board.missing_tools():
        pytest.skip(f"{name} needs {', '.join(missing)} (make setup-firmware)")
    return board.build([SOURCE], [], folder / f"{name}.elf", defines, optimise).run()


def ways_in(printed: str) -> set[str]:
    return set(re.findall(r"^(\w+) tested$", printed, re.MULTILINE))


def sums_in(printed: str) -> list[str]:
    """Sums over all that was found, which no two different lists are likely to share."""
    return re.findall(r"^(?:angles|means|asymmetric) \d+$", printed, re.MULTILINE)


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    return printed_by("host", tmp_path_factory.mktemp("host"), "-O1")


@pytest.mark.parametrize("name", BOARDS)
def test_every_way_to_count_gives_the_same_distances_on_its_own_processor(name, tmp_path, here):
    printed = here if name == "host" else printed_by(name, tmp_path)
    assert printed.endswith("\n0 failed\n"), printed
    assert ways_in(printed) >= {f"l1_u{bits}{flash}" for bits in (8, 4, 2, 1) for flash in ("", "_flash")}
    assert ways_in(printed) >= WAYS.get(name, set())
    assert len(sums_in(here)) == 3
    assert sums_in(printed) == sums_in(here)


def test_flash_that_is_read_by_macros_of_the_users_own(tmp_path):
    reads = {f"HYPERTORUS_READ{bits}(address)": "(*(address))" for bits in (8, 16, 32)}
    printed = printed_by("host", tmp_path, "-O1", HYPERTORUS_FLASH="", **reads)
    assert printed.endswith("\n0 failed\n"), printed


def test_the_assembly_compiles_without_optimisation_too(tmp_path):
    if missing := BOARDS["atmega328p"].missing_tools():
        pytest.skip(f"atmega328p needs {', '.join(missing)} (make setup-firmware)")
    for optimise in ("-O0", "-Os"):
        assert BOARDS["atmega328p"].build([SOURCE], [], tmp_path / "device.elf", optimise=optimise).flash


@pytest.mark.parametrize(
    "header, standard",
    [
        ("hypertorus.h", "c99"),
        ("hypertorus_angles.h", "c99"),
        ("hypertorus_asymmetric.h", "c99"),
        ("hypertorus_words.h", "c99"),
        ("hypertorus_pages.h", "c99"),
        ("hypertorus_pages.h", "c++11"),  # a sketch of Arduino is C++
    ],
)
def test_a_header_compiles_alone_without_a_warning(header, standard, tmp_path):
    source = tmp_path / ("alone.cpp" if "++" in standard else "alone.c")
    source.write_text(f'#include "{header}"\n')
    strict = ["-ffreestanding", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wcast-align", "-Werror"]
    command = ["cc", f"-std={standard}", *strict, f"-I{NATIVE}", "-c", source, "-o", tmp_path / "alone.o"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
