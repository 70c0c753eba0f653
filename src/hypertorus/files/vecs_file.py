"""Files of the TEXMEX corpora: .fvecs, .bvecs and .ivecs.

A row is a little-endian int32, the number of its numbers, and then these, as float32, uint8 or int32. All rows are
equally long. See http://corpus-texmex.irisa.fr.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from hypertorus.files.mapped import MappedFile
from hypertorus.files.rows import Array, Rows
from hypertorus.files.suffixes import VECS

DIM_BYTES = 4
_CHECKED_AT_ONCE = 2**16


def open_vecs(path: Path) -> Rows:
    """Return the rows of a file, mapped into memory; that they are equally long is checked when they are read."""
    dtype, file = np.dtype(VECS[path.suffix]), MappedFile(path)
    if file.size < DIM_BYTES:
        raise ValueError(
            f"{path} has {file.size} bytes, but each row of a {path.suffix} file begins with {DIM_BYTES}, the number "
            "of its numbers; write it again."
        )
    dim = int(file.array((1,), "<i4", 0)[0])
    if dim < 1:
        raise ValueError(f"{path} says that its first row has {dim} numbers; a row has at least 1.")
    stride = DIM_BYTES + dim * dtype.itemsize
    count, rest = divmod(file.size, stride)
    if rest:
        raise ValueError(
            f"{path} has {file.size} bytes, which are not whole rows of {dim} numbers as {dtype}, {stride} bytes each; "
            "it was cut short or has another format, so write it again."
        )

    def read(begin: int, end: int) -> Array:
        file.release()
        for first in range(begin, end, _CHECKED_AT_ONCE):
            last = min(first + _CHECKED_AT_ONCE, end)
            dims = file.array((last - first,), "<i4", first * stride, (stride,))
            if (dims != dim).any():
                row = int((dims != dim).argmax())
                raise ValueError(
                    f"{path} says that row {first + row} has {dims[row]} numbers, and its first row has {dim}; all "
                    "rows must be equally long."
                )
        return file.array((end - begin, dim), dtype, DIM_BYTES + begin * stride, (stride, dtype.itemsize))

    return Rows((count, dim), dtype, read)


def write_vecs(file: BinaryIO, pieces: Iterable[Array]) -> None:
    """Write pieces [some, dim] of the dtype of the file."""
    for piece in pieces:
        dim = piece.shape[1]
        rows = np.empty(len(piece), [("dim", "<i4"), ("numbers", piece.dtype, (dim,))])
        rows["dim"], rows["numbers"] = dim, piece
        file.write(rows.view(np.uint8).data)
