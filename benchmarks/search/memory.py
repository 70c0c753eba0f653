"""How fast this machine reads memory, and how much of it an opened index takes."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hypertorus.search import Index

READ = r"""
#include <stdint.h>
uint64_t read_all(const uint64_t *words, uint64_t count) {
    uint64_t a = 0, b = 0, c = 0, d = 0;
    for (uint64_t i = 0; i + 16 <= count; i += 16) {
        __builtin_prefetch(words + i + 128);
        __builtin_prefetch(words + i + 136);
        for (int j = 0; j < 4; j++) {
            a += words[i + j]; b += words[i + 4 + j]; c += words[i + 8 + j]; d += words[i + 12 + j];
        }
    }
    return a + b + c + d;
}
"""


def reader() -> ctypes.CDLL:
    folder = Path(tempfile.mkdtemp())
    (folder / "read.c").write_text(READ)
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


OPEN = """
import sys
import numpy as np
from hypertorus.search import Index
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
query = np.load(sys.argv[2])
small = Index(query.shape[1], metric="l1")
small.add(query)
small.search(query, threads=1)
before = resident()
index = Index.open(sys.argv[1])
index.search(query, threads=1)
print(resident() - before)
"""


def opened_index_memory(codes: npt.NDArray[np.uint8]) -> float:
    """The memory that another process takes to open and search these codes, over codes and ids themselves."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        index = Index(codes.shape[1], metric="l1")
        index.add(codes)
        index.save(folder / "index")
        np.save(folder / "query.npy", codes[:1])
        command = [sys.executable, "-c", OPEN, str(folder / "index"), str(folder / "query.npy")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout) / (codes.nbytes + 8 * len(codes))
