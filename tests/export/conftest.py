"""Exports as devices have them: compiled, and called from here."""

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest

from hypertorus.codes import pack, unpack
from hypertorus.export.firmware import firmware
from hypertorus.export.folder import write_firmware
from hypertorus.export.known import Known

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]


class Match(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("class_number", ctypes.c_uint16), ("distance", ctypes.c_uint32))


class Device:
    """An export on this machine, through ctypes."""

    def __init__(self, folder: Path, library: Path, dim: int, bits: int):
        command = ["cc", *STRICT, "-ffreestanding", "-O2", "-shared", "-fPIC", folder / "src" / "model.c"]
        done = subprocess.run([*command, "-o", library], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        self.c, self.dim, self.bits, self.width = ctypes.CDLL(str(library)), dim, bits, (dim * bits + 7) // 8
        self.c.ht_nearest.restype = Match
        self.c.ht_classify.restype = ctypes.c_uint16

        class Learned(ctypes.Structure):
            _fields_ = (
                ("sums", ctypes.c_int32 * 2 * dim),
                ("code", ctypes.c_uint8 * self.width),
                ("examples", ctypes.c_uint16),
            )

        self.Learned = Learned

    def encode(self, inputs):
        codes = np.full((len(inputs), self.width), 0xAA, np.uint8)
        for row, code in zip(np.ascontiguousarray(inputs), codes, strict=True):
            self.c.ht_encode(row.ctypes.data_as(ctypes.c_void_p), code.ctypes.data_as(ctypes.c_void_p))
        return unpack(codes, self.dim, self.bits)

    def stream(self, heard, size):
        """The codes of a stream [bands, frames], whose state has `size` bytes, as its frames come in."""
        state, code, codes = ctypes.create_string_buffer(b"\xaa" * size, size), np.empty(self.width, np.uint8), []
        self.c.ht_stream_frame.restype = ctypes.c_uint8
        self.c.ht_stream_begin(state)
        for bands in np.ascontiguousarray(heard.T):
            if self.c.ht_stream_frame(state, bands.ctypes.data_as(ctypes.c_void_p)):
                self.c.ht_stream_code(state, code.ctypes.data_as(ctypes.c_void_p))
                codes.append(code.copy())
        return unpack(np.array(codes).reshape(-1, self.width), self.dim, self.bits)

    def nearest(self, code):
        return self.c.ht_nearest(self._packed(code))

    def classify(self, code, learned=()):
        several = (self.Learned * len(learned))(*learned)
        return self.c.ht_classify(self._packed(code), several, ctypes.c_uint16(len(learned)))

    def learn(self, learned, code):
        self.c.ht_learn(ctypes.byref(learned), self._packed(code))

    def learned_code(self, learned):
        return unpack(np.array(learned.code, np.uint8)[None], self.dim, self.bits)[0]

    def label(self, number, room=256):
        text = ctypes.create_string_buffer(b"x" * room)
        self.c.ht_label(ctypes.c_uint16(number), text)
        return text.value.decode()

    def _packed(self, code):
        return pack(code[None], self.bits).tobytes()


@pytest.fixture
def device(tmp_path):
    """What is known as a device: known, prototypes, target -> Device."""

    def build(known: Known, prototypes=None, target="portable"):
        write_firmware(firmware(known, prototypes, target), tmp_path / "firmware", force=True)
        library = tmp_path / f"{len(list(tmp_path.iterdir()))}.so"  # a library is loaded once under a name
        return Device(tmp_path / "firmware", library, known.dim, known.bits)

    return build
