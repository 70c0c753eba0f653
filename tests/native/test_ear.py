"""The ears in C hear what Python's hear, bit for bit: on this machine with sanitizers, and on boards in simulators."""

import ctypes
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from hypertorus.boards import BOARDS
from hypertorus.boards.bench.ear import hear_on, heard_here
from hypertorus.export.ear import ear_bytes, ear_header, write_ear
from hypertorus.sound.chip import ChipSpectrogram
from hypertorus.sound.levels import LOG2
from hypertorus.sound.resonators import Resonators

NATIVE = Path(__file__).parents[2] / "native"
STRICT = ["-std=c99", "-ffreestanding", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wcast-align", "-Werror"]
EARS = {
    "chip": ChipSpectrogram(),
    "short": ChipSpectrogram(fft=128, hop=100, bands=20, frames=9),
    "resonators": Resonators(),
}
ON_BOARDS = [
    ("host", "chip"),
    ("host", "resonators"),
    ("cortex-m0", "chip"),
    ("cortex-m4", "chip"),
    ("riscv32", "chip"),
    ("atmega328p", "short"),  # the memory of others is too large
    ("atmega328p", "resonators"),
]
OPEN = """
#include EAR
#include <stddef.h>
size_t ear_size(void);
void start(ht_ear_t *ear, uint16_t frames);
uint16_t listen(ht_ear_t *ear, const int16_t *samples, uint16_t count);
void window(const ht_ear_t *ear, uint8_t *bytes);
void column(const ht_ear_t *ear, uint8_t age, uint8_t *bytes);
uint16_t counter(const ht_ear_t *ear);
size_t ear_size(void) { return sizeof(ht_ear_t); }
void start(ht_ear_t *ear, uint16_t frames) { ht_ear_start(ear), ear->heard.frames = frames; }
uint16_t listen(ht_ear_t *ear, const int16_t *samples, uint16_t count) { return ht_ear_listen(ear, samples, count); }
void window(const ht_ear_t *ear, uint8_t *bytes) { ht_ear_window(ear, bytes); }
void column(const ht_ear_t *ear, uint8_t age, uint8_t *bytes) { ht_ear_column(ear, age, bytes); }
uint16_t counter(const ht_ear_t *ear) { return ear->heard.frames; }
"""


def extremes():
    """Noise, square waves of full scale, silence, one sample, what alternates, a chirp, a constant."""
    rng, parts = np.random.default_rng(0), [np.arange(500)] * 7
    waves = [
        rng.normal(size=500) * 3000,
        np.where(parts[1] // 13 % 2, 32767, -32768),
        np.zeros(500),
        (parts[3] == 77) * -32768,
        np.where(parts[4] % 2, 32767, -32768),
        20_000 * np.sin(parts[5] ** 2 * 2e-3),
        np.full(500, -32768),
    ]
    return np.concatenate(waves).clip(-32768, 32767).astype(np.int16)


@pytest.mark.parametrize(("name", "ear"), ON_BOARDS)
def test_a_board_hears_what_python_hears(name, ear, tmp_path):
    if missing := BOARDS[name].missing_tools():
        pytest.skip(f"not installed: {' '.join(missing)} (make setup-firmware)")
    run = hear_on(BOARDS[name], EARS[ear], extremes(), tmp_path, chunk=61, first_frame=65_530)  # the counter wraps
    assert run.heard == heard_here(EARS[ear], extremes(), 65_530)
    assert run.heard.counter < 100


class Listener:
    """An ear in C of its own."""

    def __init__(self, library, ear, frames=0):
        self.library, self.ear, self.memory = library, ear, ctypes.create_string_buffer(library.ear_size())
        library.start(self.memory, frames)

    def hear(self, samples):
        return self.library.listen(self.memory, np.ascontiguousarray(samples).ctypes, len(samples))

    @property
    def window(self):
        heard = np.empty((self.ear.bands, self.ear.frames), np.uint8)
        self.library.window(self.memory, heard.ctypes)
        return heard

    def column(self, age):
        heard = np.empty(self.ear.bands, np.uint8)
        self.library.column(self.memory, age, heard.ctypes)
        return heard


@pytest.fixture(scope="module", params=["chip", "resonators"])
def listener(request, tmp_path_factory):
    ear, folder = EARS[request.param], tmp_path_factory.mktemp("ear")
    write_ear(ear, folder)
    (folder / "open.c").write_text(OPEN)
    command = ["cc", *STRICT, "-O2", "-shared", "-fPIC", f'-DEAR="{ear_header(ear)}"', "open.c", "-o", "open.so"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    library = ctypes.CDLL(str(folder / "open.so"))
    library.counter.restype = library.listen.restype = ctypes.c_uint16
    return lambda frames=0: Listener(library, ear, frames)


def test_a_window_is_that_of_python_whatever_the_loudness(listener):
    rng, one = np.random.default_rng(1), listener()
    for loudness in (1, 30, 900, 30_000):
        samples = (rng.normal(size=one.ear.samples) * loudness).clip(-32768, 32767).astype(np.int16)
        one = listener()
        assert one.hear(samples) == one.ear.frames
        np.testing.assert_array_equal(one.window, one.ear.bytes(samples[None])[0])
        for age in (0, 1, one.ear.frames - 1):
            np.testing.assert_array_equal(one.column(age), one.window[:, -1 - age])


def test_a_stream_is_that_of_python_frame_by_frame(listener):
    one = listener()
    samples = np.concatenate([extremes() // 900, np.zeros(9000, np.int16), extremes(), extremes() // 30])
    pieces = (samples[place : place + 60] for place in range(0, len(samples), 60))
    frames = [one.column(one.ear.frames // 2) for piece in pieces if one.hear(piece)]
    expected = one.ear.stream(samples[None])[0]
    np.testing.assert_array_equal(np.array(frames).T, expected)
    assert expected.any()


def test_an_ear_is_as_large_as_was_said(listener):
    assert listener().library.ear_size() == ear_bytes(listener().ear, "portable")


def test_sound_in_pieces_is_as_sound_at_once(listener):
    rng, at_once, in_pieces, samples = np.random.default_rng(2), listener(), listener(65_500), extremes()
    frames, place = 0, 0
    while place < len(samples):
        some = int(rng.integers(0, 400)) if rng.random() < 0.8 else 1
        frames += in_pieces.hear(samples[place : place + some])
        place += some
    assert at_once.hear(samples) == frames > 0
    np.testing.assert_array_equal(at_once.window, in_pieces.window)
    assert in_pieces.library.counter(in_pieces.memory) == (65_500 + frames) % 2**16


def test_a_day_is_forgotten_but_for_the_last_window(listener):
    """The counter of frames and the ring go round many times; what remains is the last window."""
    one, fresh = listener(), listener()
    rest = np.zeros(60_000, np.int16)
    for _ in range(190 if isinstance(one.ear, ChipSpectrogram) else 20):
        frames = one.hear(rest)
    assert frames > one.ear.frames
    assert not one.window.any()
    again = listener(65_535)
    assert again.hear(extremes()) == fresh.hear(extremes())
    np.testing.assert_array_equal(again.window, fresh.window)


def test_before_a_window_is_full_the_rest_is_silent(listener):
    one = listener()
    assert not one.window.any()
    one.hear(extremes()[:1000])
    heard = one.window
    assert heard[:, -1].any()
    assert not heard[:, : one.ear.frames // 2].any()


def test_the_table_of_logarithms_is_that_of_python():
    text = (NATIVE / "hypertorus_levels.h").read_text()
    table = re.search(r"hypertorus_log2_table\[33\] HYPERTORUS_FLASH = \{(.*?)\}", text, re.DOTALL)
    assert [int(number) for number in re.findall(r"\d+", table[1])] == LOG2.tolist()


@pytest.mark.parametrize("header", ["hypertorus_levels.h", "hypertorus_audio.h", "hypertorus_resonators.h"])
def test_an_ear_needs_nothing_but_integers(header):
    code = re.sub(r"/\*.*?\*/", "", (NATIVE / header).read_text(), flags=re.DOTALL)
    assert not re.search(r"\b(float|double|malloc|free|memcpy)\b", code)


def test_the_assembly_compiles_however_it_is_optimised(tmp_path):
    if missing := BOARDS["atmega328p"].missing_tools():
        pytest.skip(f"atmega328p needs {', '.join(missing)} (make setup-firmware)")
    write_ear(EARS["resonators"], tmp_path)
    (tmp_path / "open.c").write_text(OPEN)
    for optimise in ("-O0", "-O1", "-Os", "-O3"):
        command = ["avr-gcc", "-mmcu=atmega328p", "-std=c99", "-Wall", "-Wextra", "-Werror", optimise, "-c", "open.c"]
        done = subprocess.run(
            [*command, '-DEAR="hypertorus_resonators.h"'], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
