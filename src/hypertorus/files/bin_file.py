"""Files of the billion-scale benchmarks: .fbin, .u8bin, .i8bin and .ibin.

A file is two little-endian uint32, the number of rows and the number of numbers in each, and then the rows one after
the other, as float32, uint8, int8 or int32. See https://big-ann-benchmarks.com.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from hypertorus.files.mapped import MappedFile
from hypertorus.files.rows import Array, Rows
from hypertorus.files.suffixes import BIN

HEADER_BYTES = 8


def open_bin(path: Path) -> Rows:
    """Return the rows of a file, mapped into memory, once its header agrees with its size."""
    dtype, file = np.dtype(BIN[path.suffix]), MappedFile(path)
    if file.size < HEADER_BYTES:
        raise ValueError(
            f"{path} has {file.size} bytes, but a {path.suffix} file begins with {HEADER_BYTES}, its number of rows "
            "and of numbers in a row; write it again."
        )
    count, dim = map(int, file.array((2,), "<u4", 0))
    if count == 0 or dim == 0:
        raise ValueError(f"{path} says that it has {count} rows of {dim} numbers; both must be at least 1.")
    expected = HEADER_BYTES + count * dim * dtype.itemsize
    if file.size != expected:
        raise ValueError(
            f"{path} says that it has {count} rows of {dim} numbers, which take {expected} bytes as {dtype}, but it "
            f"has {file.size}; it was cut short or has another format, so write it again."
        )

    def read(begin: int, end: int) -> Array:
        file.release()
        return file.array((end - begin, dim), dtype, HEADER_BYTES + begin * dim * dtype.itemsize)

    return Rows((count, dim), dtype, read)


def write_bin(file: BinaryIO, pieces: Iterable[Array]) -> None:
    """Write pieces [some, dim] of the dtype of the file; the number of rows is known and written at the end."""
    file.write(bytes(HEADER_BYTES))
    count = dim = 0
    for piece in pieces:
        file.write(np.ascontiguousarray(piece).data)
        count, dim = count + len(piece), piece.shape[1]
    if count >= 2**32:
        raise ValueError(f"there are {count} rows, and the header of the file counts to 2^32 - 1; write several files.")
    file.seek(0)
    file.write(np.array([count, dim], "<u4").data)
