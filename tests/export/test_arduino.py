"""The sketch in docs/microcontroller.md compiles as Arduino compiles it: as C++, with the folder of an export."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hypertorus.export.firmware import firmware
from hypertorus.export.folder import write_firmware

PAGE = Path(__file__).parents[2] / "docs" / "microcontroller.md"
ARDUINO = """
#include <stdint.h>
struct { void begin(long) {} void println(const char *) {} } Serial;
void read_camera(uint8_t *) {}
"""


@pytest.mark.parametrize(
    "compiler, package, options",
    [("c++", "g++", []), ("avr-g++", "gcc-avr", ["-mmcu=atmega328p"])],
    ids=["c++", "avr-g++"],
)
def test_the_sketch_compiles(compiler, package, options, random_known, tmp_path):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed (Debian: apt-get install {package})")
    known, _ = random_known(5, "torusC", (64, 8, 8))
    write_firmware(firmware(known, 1, "avr"), tmp_path / "digits")
    (sketch,) = re.findall(r"```cpp\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    (tmp_path / "sketch.cpp").write_text(f"{ARDUINO}{sketch}\nint main() {{ setup(); loop(); }}\n")
    (tmp_path / "digits" / "src" / "model.c").rename(tmp_path / "model.c")
    link = [compiler, *options, "-Os", f"-I{tmp_path / 'digits' / 'src'}", "-o", tmp_path / "sketch"]
    compile_c = [compiler, *options, "-Os", "-std=gnu99", "-xc", f"-I{tmp_path / 'digits' / 'src'}"]
    for command in (
        [*compile_c, "-c", tmp_path / "model.c", "-o", tmp_path / "model.o"],
        [*link, tmp_path / "sketch.cpp", tmp_path / "model.o"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
