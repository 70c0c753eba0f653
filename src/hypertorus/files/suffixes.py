"""The suffixes of files of arrays, in one place: what is read, what is written, and how a file and a name are one word.

It needs no numpy, so that the help of commands can list them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

BIN = {".fbin": "<f4", ".u8bin": "u1", ".i8bin": "i1", ".ibin": "<i4"}
"""Files of the billion-scale benchmarks, and the dtype of their numbers."""

VECS = {".fvecs": "<f4", ".bvecs": "u1", ".ivecs": "<i4"}
"""Files of the TEXMEX corpora (SIFT, GIST), and the dtype of their numbers."""

HDF5 = (".hdf5", ".h5")
ARROW = (".arrow", ".feather")

SUFFIXES = (".npy", ".npz", ".csv", ".safetensors", ".parquet", *ARROW, *HDF5, *BIN, *VECS)
"""Every file that arrays are read from."""

TABLES = (".parquet", *ARROW, *HDF5)
"""Files that are written with several named columns."""

WRITTEN = (*TABLES, *BIN, *VECS)
"""Files that rows are written to a piece at a time."""


def listed(suffixes: Iterable[str], conjunction: str = "or") -> str:
    """Return suffixes as the end of a sentence.

    >>> listed([".npy", ".npz", ".csv"])
    '.npy, .npz or .csv'
    """
    *most, last = suffixes
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def is_array_file(source: str) -> bool:
    """Return whether a path, with or without a `:NAME` after it, has the suffix of a file of arrays.

    >>> is_array_file("birds.npz:test"), is_array_file("birds.fbin"), is_array_file("birds.wav")
    (True, True, False)
    """
    return split_name(source)[0].suffix in SUFFIXES


def split_name(source: str | Path) -> tuple[Path, str | None]:
    """Return the file and the name of `FILE:NAME`, or None for the name if there is none.

    >>> split_name("birds.npz:test")
    (PosixPath('birds.npz'), 'test')
    """
    text = str(source)
    place, colon, name = text.rpartition(":")
    if colon and Path(place).suffix in SUFFIXES:
        return Path(place), name
    return Path(text), None
