"""The native core by its own tests in C: on this machine with sanitizers, and for ARM under emulation."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.native.building import NATIVE, STRICT, compile_core, compile_in

SANITIZERS = ["-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
PROGRAMS = ["test_core", "test_cells", "test_coarse", "test_tables", "test_fuzz"]


def build(compiler: list[str], folder: Path, optimise: str, optimise_kernels: str) -> list[Path]:
    """The programs with the tests, which share the objects of the core."""
    objects = compile_core(compiler, folder, optimise, optimise_kernels)
    command = [*compiler, *STRICT, optimise, "-Wno-unused-function"]  # a program need not use all of the harness
    for program in PROGRAMS:
        source = NATIVE / "tests" / f"{program}.c"
        compile_in(folder, [*command, source, *objects, "-lm", "-o", folder / program])
    return [folder / program for program in PROGRAMS]


def run_tests(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    counted = re.search(r"(\d+) passed, 0 failed", done.stdout)
    assert counted, done.stdout
    assert int(counted[1]) > 50


def test_core_with_sanitizers(tmp_path):
    for program in build(["cc", *SANITIZERS], tmp_path, "-O1", "-O0"):
        run_tests(program)


@pytest.mark.parametrize("processor", ["armv8-a", "armv8.2-a+dotprod"])
def test_core_on_arm(processor, tmp_path):
    for tool, package in (("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"), ("qemu-aarch64", "qemu-user")):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed (Debian: apt-get install {package})")
    compiler = ["aarch64-linux-gnu-gcc", "-static", f"-march={processor}"]
    for program in build(compiler, tmp_path, "-O2", "-O2"):
        run_tests("qemu-aarch64", program)


@pytest.mark.parametrize("options", [["-O3"], ["-Os"], ["-ffreestanding", "-O2"]], ids=" ".join)
def test_the_header_alone_compiles_everywhere(options, tmp_path):
    source = NATIVE / "tests" / "freestanding.c"
    command = ["cc", *STRICT, *options, "-c", source, "-o", tmp_path / "header.o"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_header_needs_nothing_but_integers():
    header = (NATIVE / "hypertorus.h").read_text()
    assert re.findall(r"#include\s+(\S+)", header) == ["<stdint.h>", "<avr/pgmspace.h>"]
    assert "#elif defined(__AVR__)\n#include <avr/pgmspace.h>" in header
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    assert not re.search(r"\b(float|double|malloc|free)\b", code)
