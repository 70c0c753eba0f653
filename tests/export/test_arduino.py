"""The sketches of the documents compile as Arduino and PlatformIO compile them: as C++, with an export beside them."""

import dataclasses
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hypertorus.export.firmware import firmware
from hypertorus.export.folder import write_firmware
from hypertorus.sound.chip import ChipSpectrogram

DOCS = Path(__file__).parents[2] / "docs"
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
    (sketch,) = re.findall(r"```cpp\n(.*?)```", (DOCS / "microcontroller.md").read_text(), flags=re.DOTALL)
    (tmp_path / "sketch.cpp").write_text(f"{ARDUINO}{sketch}\nint main() {{ setup(); loop(); }}\n")
    (tmp_path / "digits" / "src" / "model.c").rename(tmp_path / "model.c")
    link = [compiler, *options, "-Os", f"-I{tmp_path / 'digits' / 'src'}", "-o", tmp_path / "sketch"]
    compile_c = [compiler, *options, "-Os", "-std=gnu99", "-xc", f"-I{tmp_path / 'digits' / 'src'}"]
    for command in (
        [*compile_c, "-c", tmp_path / "model.c", "-o", tmp_path / "model.o"],
        [*link, tmp_path / "sketch.cpp", tmp_path / "model.o"],
    ):
        checked(command)


SERIAL = """
#include <stdint.h>
static struct { void begin(long) {} void println(const char *) {} } Serial;
static void read_microphone(int16_t *samples, uint16_t count) { while (count--) *samples++ = (int16_t)(count * 991); }
"""


@pytest.mark.parametrize(
    ("libraries", "main"),
    [("libraries", "listener/listener.ino"), ("lib", "src/main.cpp")],
    ids=["arduino", "platformio"],
)
def test_the_sketch_that_listens_compiles_in_both_layouts(libraries, main, random_keyword, tmp_path):
    """Every C file of the library alone, then the sketch with all of them, and what it says of memory is so."""
    ear = ChipSpectrogram()
    _, known, _ = random_keyword(5, "torusN", {"kind": "keyword", "bands": 32, "width": 4, "blocks": 1}, 50)
    known = dataclasses.replace(known, ear=ear)
    library = tmp_path / libraries / "words"
    library.parent.mkdir()
    write_firmware(firmware(known, 1), library)
    assert {"library.properties", "library.json"} <= {path.name for path in library.iterdir()}
    (sketch,) = re.findall(r"```cpp\n(.*?)```", (DOCS / "words.md").read_text(), flags=re.DOTALL)
    needs = firmware(known, 1).sizes
    assert needs.tables["tables of the ear"] == 277 + 66
    sizes = {"ht_ear_t": needs.ear, "ht_stream": needs.stream}
    asserted = "\n".join(f'static_assert(sizeof({name}) == {size}, "{name}");' for name, size in sizes.items())
    (tmp_path / main).parent.mkdir()
    (tmp_path / main).write_text(f"{SERIAL}{sketch}\n{asserted}\nint main() {{ setup(); loop(); }}\n")
    include, made = f"-I{library / 'src'}", []
    strict = ["-Wall", "-Wextra", "-Werror", "-Os", include]
    for source in library.glob("src/*.c"):
        made.append(tmp_path / f"{source.stem}.o")
        checked(["cc", "-std=gnu11", *strict, "-c", source, "-o", made[-1]])
    checked(["c++", "-std=gnu++11", *strict, "-xc++", tmp_path / main, "-xnone", *made, "-o", tmp_path / "program"])
    checked([tmp_path / "program"])


def checked(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
