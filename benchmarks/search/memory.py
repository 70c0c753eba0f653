"""How fast this machine reads memory: a plain sum over bytes far larger than any cache, compiled here."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

SOURCE = r"""
#include <stdint.h>
uint64_t read_all(const uint64_t *words, uint64_t count) {
    uint64_t a = 0, b = 0, c = 0, d = 0;
    for (uint64_t i = 0; i + 16 <= count; i += 16)
        for (int j = 0; j < 4; j++) {
            a += words[i + j]; b += words[i + 4 + j]; c += words[i + 8 + j]; d += words[i + 12 + j];
        }
    return a + b + c + d;
}
"""


def reader() -> ctypes.CDLL:
    folder = Path(tempfile.mkdtemp())
    (folder / "read.c").write_text(SOURCE)
    library = folder / "read.so"
    subprocess.run(["cc", "-O3", "-march=native", "-fPIC", "-shared", folder / "read.c", "-o", library], check=True)
    loaded = ctypes.CDLL(str(library))
    loaded.read_all.restype, loaded.read_all.argtypes = ctypes.c_uint64, [ctypes.c_void_p, ctypes.c_uint64]
    return loaded


class Bandwidth:
    """Call it to read half a gigabyte once; `best` is the fastest so far, in bytes a second."""

    def __init__(self) -> None:
        self.memory = np.ones(2**26, np.uint64)
        self.library = reader()
        self.best = 0.0

    def __call__(self) -> None:
        start = time.perf_counter()
        self.library.read_all(self.memory.ctypes.data, len(self.memory))
        self.best = max(self.best, self.memory.nbytes / (time.perf_counter() - start))
