"""Writes rows to files of other programs, a piece at a time: the file appears under its name when it is whole."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hypertorus.files.arrow_file import write_columns
from hypertorus.files.atomic import replacing
from hypertorus.files.bin_file import write_bin
from hypertorus.files.hdf5_file import write_hdf5
from hypertorus.files.rows import Array
from hypertorus.files.suffixes import BIN, HDF5, TABLES, VECS, WRITTEN, listed
from hypertorus.files.vecs_file import write_vecs

Piece = Mapping[str, Array]
"""Some of the rows, [some, numbers], and columns, [some], that describe them, by name."""


def write_rows(path: str | os.PathLike[str], pieces: Iterable[Piece]) -> None:
    """Write pieces one after the other to a file whose suffix is its format.

    Every piece has the same names. .parquet, .arrow and .hdf5 files hold all of them; .fbin, .fvecs and the like hold
    one matrix, whose numbers must be of their type: floats, or integers that fit. A byte is a code of 8 bits, and codes
    wrap around, so .i8bin takes them as they are, as signed bytes: 255 is -1, the same angle.

    >>> import tempfile
    >>> from hypertorus.files.arrays import Arrays
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.fvecs")
    ...     write_rows(path, ({"points": np.full((2, 3), number)} for number in (0.5, 1.5)))
    ...     Arrays(path)["rows"][:, 0].tolist(), path.stat().st_size
    ([0.5, 0.5, 1.5, 1.5], 64)
    """
    path = Path(path)
    if path.suffix not in WRITTEN:
        raise ValueError(f"{path} has the suffix {path.suffix!r}; rows are written as {listed(WRITTEN)}.")
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        checked = _checked(path, pieces)
        if path.suffix in HDF5:
            write_hdf5(file, checked)
        elif path.suffix in TABLES:
            write_columns(file, checked, parquet=path.suffix == ".parquet")
        else:
            write = write_bin if path.suffix in BIN else write_vecs
            write(file, (_numbers_of(path, piece) for piece in checked))


def check_dtype(path: Path, dtype: npt.DTypeLike) -> None:
    """Raise a ValueError if the format of this file cannot hold rows of this dtype."""
    if path.suffix in (*BIN, *VECS):
        stored, given = np.dtype((BIN | VECS)[path.suffix]), np.dtype(dtype)
        if (stored.kind == "f") != (given.kind == "f") or given.kind not in "fiu":
            fitting = [
                suffix for suffix, name in (BIN | VECS).items() if (np.dtype(name).kind == "f") == (given.kind == "f")
            ]
            raise ValueError(
                f"{path} would hold {stored}, but the rows are {given}; write them as {listed((*fitting, *TABLES))}."
            )


def _checked(path: Path, pieces: Iterable[Piece]) -> Iterator[Piece]:
    shapes: dict[str, tuple[int, ...]] | None = None
    empty = True
    for piece in pieces:
        here = {name: array.shape[1:] for name, array in piece.items()}
        shapes = here if shapes is None else shapes
        if here != shapes or len({len(array) for array in piece.values()}) != 1:
            raise ValueError(f"pieces of {path} have rows of the shapes {shapes} and {here}; they must be the same.")
        if len(next(iter(piece.values()))):
            empty = False
            yield piece
    if empty:
        raise ValueError(f"there are no rows to write to {path}; pass at least one.")


def _numbers_of(path: Path, piece: Piece) -> Array:
    """Return the matrix of a piece in the dtype of a file that holds only one."""
    if len(piece) != 1 or (array := next(iter(piece.values()))).ndim != 2:
        raise ValueError(f"{path} holds one matrix, but there are {', '.join(piece)}; write them as {listed(TABLES)}.")
    check_dtype(path, array.dtype)
    dtype = np.dtype((BIN | VECS)[path.suffix])
    if dtype == np.int8 and array.dtype == np.uint8:
        return array.view(np.int8)
    if dtype.kind != "f":
        limits = np.iinfo(dtype)
        if array.size and (array.min() < limits.min or array.max() > limits.max):
            raise ValueError(
                f"{path} holds {dtype}, {limits.min} to {limits.max}, but there are numbers from {array.min()} to "
                f"{array.max()}; write them as {listed(TABLES)}."
            )
    return array.astype(dtype, copy=False)
