"""Reads arrays by name from .npy, .npz, .csv, .safetensors and .parquet files, on demand and without pickle."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from hypertorus.files.extras import require
from hypertorus.files.tensors import TensorFile

Array = npt.NDArray[Any]

SUFFIXES = (".npy", ".npz", ".csv", ".safetensors", ".parquet")
ROWS = "rows"
"""The name of an array that its file gives no name: an .npy file, or the number columns of a table."""


def is_array_file(source: str) -> bool:
    """Return whether a path, with or without a `:NAME` after it, has the suffix of a file of arrays.

    >>> is_array_file("birds.npz:test"), is_array_file("birds.npz"), is_array_file("birds.wav")
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


class Arrays(Mapping[str, Array]):
    """The arrays of a file by name. Large ones are mapped into memory where the format allows it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder, "a.npz"), vectors=np.zeros((3, 2)), labels=np.arange(3))
    ...     {name: array.shape for name, array in Arrays(Path(folder, "a.npz")).items()}
    {'vectors': (3, 2), 'labels': (3,)}
    """

    def __init__(self, path: Path) -> None:
        if path.suffix not in _READERS:
            raise ValueError(
                f"{path} has the suffix {path.suffix!r}; pass {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}."
            )
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {path}; check its name.")
        self.path = path
        with _readable(path):
            self.metadata, self._readers = _READERS[path.suffix](path)

    def __getitem__(self, name: str) -> Array:
        with _readable(self.path):
            return self._readers[name]()

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
    return arrays[choice]


_Readers = tuple[Mapping[str, str], Mapping[str, Callable[[], Array]]]


def _open_npy(path: Path) -> _Readers:
    array = np.load(path, mmap_mode="r", allow_pickle=False)
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{path} holds several arrays; rename it to .npz.")
    return {}, {ROWS: lambda: array}


def _open_npz(path: Path) -> _Readers:
    def read(name: str) -> Array:
        with path.open("rb") as file, np.lib.npyio.NpzFile(file, allow_pickle=False) as arrays:
            return arrays[name]

    with path.open("rb") as file, np.lib.npyio.NpzFile(file, allow_pickle=False) as arrays:
        return {}, {name: partial(read, name) for name in arrays.files}


def _open_safetensors(path: Path) -> _Readers:
    file = TensorFile(path)
    return file.metadata, {name: partial(file.__getitem__, name) for name in file}


def _open_csv(path: Path) -> _Readers:
    """Return readers of the columns of text by name, and of all columns of numbers together as `rows`."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        lines = list(csv.reader(file))
    if len(lines) < 2:
        raise ValueError("it has no rows: write a line of column names, and then a line for each row")
    header, body = lines[0], lines[1:]
    for number, line in enumerate(body, start=2):
        if len(line) != len(header):
            raise ValueError(f"line {number} has {len(line)} cells, and there are {len(header)} columns")
    columns = {name: np.array([line[place] for line in body], np.str_) for place, name in enumerate(header)}
    numbers = _are_vectors(header)
    texts = {name: partial(np.asarray, column) for name, column in columns.items() if name not in numbers}

    def rows() -> Array:
        try:
            return np.stack([columns[name].astype(np.float64) for name in numbers], axis=1)
        except ValueError as error:
            raise ValueError(
                f"a cell is no number ({error}); text is read from columns such as label and path"
            ) from error

    return {}, {**({ROWS: rows} if numbers else {}), **texts}


COLUMNS = {
    "labels": ("labels", "label", "y", "target", "targets"),
    "paths": ("path", "paths", "file", "files"),
    "names": ("names", "name", "texts", "text"),
    "parts": ("parts", "part", "split"),
    "groups": ("groups", "group", "recordings", "recording"),
    "starts": ("starts", "start"),
}
"""The names that people give to columns with one value for each row."""


def _are_vectors(header: Iterable[str]) -> list[str]:
    """Return the columns of a table that are numbers of a vector; `y` is one of them beside `x`, else a label."""
    names = list(header)
    others = {name for spellings in COLUMNS.values() for name in spellings}
    if "x" in (name.lower() for name in names):
        others.remove("y")
    return [name for name in names if name.lower() not in others]


def _open_parquet(path: Path) -> _Readers:
    """Return readers of the columns by name: lists as matrices or, without any, all columns of numbers as `rows`."""
    require("pyarrow", extra="parquet")
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
    fields = {field.name: field.type for field in file.schema_arrow}

    def column(name: str) -> Array:
        chunked = file.read([name]).column(0)
        if chunked.null_count:
            raise ValueError(f"the column {name} has {chunked.null_count} empty cells; fill them or leave them out")
        if _is_list(fields[name]):
            flat = chunked.combine_chunks().flatten().to_numpy(zero_copy_only=False)
            if len(chunked) == 0 or len(flat) % len(chunked):
                raise ValueError(f"the column {name} holds lists of different lengths")
            return flat.reshape(len(chunked), -1)
        array = chunked.to_numpy()
        return array.astype(np.str_) if array.dtype.kind == "O" else array

    lists = [name for name, kind in fields.items() if _is_list(kind)]
    plain = [name for name, kind in fields.items() if pa.types.is_floating(kind) or pa.types.is_integer(kind)]
    numbers = [] if lists else [name for name in _are_vectors(fields) if name in plain]
    readers: dict[str, Callable[[], Array]] = {name: partial(column, name) for name in fields if name not in numbers}
    if numbers:

        def rows() -> Array:
            return np.stack([column(name).astype(np.float64) for name in numbers], axis=1)

        readers[ROWS] = rows
    return {}, readers


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind) or pa.types.is_large_list(kind))


_READERS: dict[str, Callable[[Path], _Readers]] = {
    ".npy": _open_npy,
    ".npz": _open_npz,
    ".csv": _open_csv,
    ".safetensors": _open_safetensors,
    ".parquet": _open_parquet,
}


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (ValueError, EOFError, BadZipFile, zlib.error, UnicodeDecodeError) as error:
        if str(path) in str(error):
            raise
        raise ValueError(f"{path} is not a readable {path.suffix} file ({error}); fix it or write it again.") from error
