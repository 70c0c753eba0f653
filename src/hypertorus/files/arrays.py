"""Reads arrays by name from files of many formats, on demand, in pieces, and without pickle."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from hypertorus.files.arrow_file import open_columns
from hypertorus.files.bin_file import open_bin
from hypertorus.files.column_names import ROWS
from hypertorus.files.csv_file import open_csv
from hypertorus.files.hdf5_file import open_hdf5
from hypertorus.files.mapped import MappedFile
from hypertorus.files.npz_member import check_member
from hypertorus.files.rows import Array, Rows
from hypertorus.files.suffixes import ARROW, BIN, HDF5, SUFFIXES, VECS, listed, split_name
from hypertorus.files.tensors import TensorFile
from hypertorus.files.vecs_file import open_vecs


class Arrays(Mapping[str, Array]):
    """The arrays of a file by name.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder, "a.npz"), vectors=np.zeros((3, 2)), labels=np.arange(3))
    ...     {name: array.shape for name, array in Arrays(Path(folder, "a.npz")).items()}
    {'vectors': (3, 2), 'labels': (3,)}
    """

    def __init__(self, path: Path) -> None:
        if path.suffix not in _READERS:
            raise ValueError(f"{path} has the suffix {path.suffix!r}; pass {listed(SUFFIXES)}.")
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {path}; check its name.")
        self.path = path
        with _readable(path):
            self.metadata, self._readers = _READERS[path.suffix](path)

    def __getitem__(self, name: str) -> Array:
        """Return all of an array; large ones are mapped into memory where the format allows it."""
        reader = self._readers[name]
        with _readable(self.path):
            array = reader()
            return array.whole() if isinstance(array, Rows) else array

    def rows(self, name: str) -> Rows:
        """Return the rows of an array, which are read a piece at a time where the format allows it."""
        reader = self._readers[name]
        with _readable(self.path):
            array = reader()
        rows = array if isinstance(array, Rows) else Rows.of(array)

        def read(begin: int, end: int) -> Array:
            with _readable(self.path):
                return rows.read(begin, end)

        return replace(rows, read=read)

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)


def read_column(path: Path, what: str) -> Array:
    """Return one value per row from the array `what` or the only array of a file, or from the lines of a .txt file."""
    if path.suffix == ".txt":
        return np.array(path.read_text(encoding="utf-8").splitlines(), np.str_)
    if split_name(path)[0].suffix not in SUFFIXES:
        raise ValueError(f"{path} has the suffix {path.suffix!r}; pass {what} as .txt, one a line, or as .npy.")
    path, name = split_name(path)
    arrays = Arrays(path)
    choice = name or (next(iter(arrays)) if len(arrays) == 1 else what)
    if choice not in arrays:
        raise ValueError(f"{path} holds {', '.join(arrays)}; name one of them for the {what}: {path}:NAME.")
    column = arrays[choice]
    return column[:, 0] if column.ndim == 2 and column.shape[1] == 1 else column


_Readers = tuple[Mapping[str, str], Mapping[str, Callable[[], Array | Rows]]]


def _open_npy(path: Path) -> _Readers:
    array = np.load(path, mmap_mode="r", allow_pickle=False)
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{path} holds several arrays; rename it to .npz.")
    if not isinstance(array, np.memmap) or array.size == 0:
        return {}, {ROWS: lambda: array}
    file = MappedFile(path)

    def read(begin: int, end: int) -> Array:
        file.release()
        offset, step = array.offset, array.strides[0]
        return file.array((end - begin, *array.shape[1:]), array.dtype, offset + begin * step, array.strides)

    return {}, _only(Rows(array.shape, array.dtype, read)) if array.ndim else {ROWS: lambda: array}


def _open_npz(path: Path) -> _Readers:
    def read(name: str) -> Array:
        with path.open("rb") as file, np.lib.npyio.NpzFile(file, allow_pickle=False) as arrays:
            assert arrays.zip is not None  # which it is until the file is closed
            check_member(arrays.zip, name)
            return arrays[name]

    with path.open("rb") as file, np.lib.npyio.NpzFile(file, allow_pickle=False) as arrays:
        return {}, {name: partial(read, name) for name in arrays.files}


def _open_safetensors(path: Path) -> _Readers:
    file = TensorFile(path)
    return file.metadata, {name: partial(file.__getitem__, name) for name in file}


_READERS: dict[str, Callable[[Path], _Readers]] = {
    ".npy": _open_npy,
    ".npz": _open_npz,
    ".csv": lambda path: ({}, open_csv(path)),
    ".safetensors": _open_safetensors,
    **dict.fromkeys((".parquet", *ARROW), lambda path: ({}, open_columns(path))),
    **dict.fromkeys(HDF5, lambda path: ({}, open_hdf5(path))),
    **dict.fromkeys(BIN, lambda path: ({}, _only(open_bin(path)))),
    **dict.fromkeys(VECS, lambda path: ({}, _only(open_vecs(path)))),
}


def _only(rows: Rows) -> dict[str, Callable[[], Rows]]:
    return {ROWS: lambda: rows}


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn whatever the libraries behind raise about damaged bytes into one sentence; there is no list of it."""
    try:
        yield
    except (OSError, ImportError):
        raise
    except Exception as error:
        if str(path) in str(error):
            raise
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ValueError(
            f"{path} is not a readable {path.suffix} file ({reason}); fix it or write it again."
        ) from error
