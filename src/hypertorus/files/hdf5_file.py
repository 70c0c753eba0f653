"""HDF5 files, such as those of ann-benchmarks: the data sets at their top, read in pieces and never unpickled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from hypertorus.files.extras import require
from hypertorus.files.rows import Array, Rows

_LARGEST_RATIO = 1100
"""Deflate makes data at most 1032 times smaller; a data set that claims more holds numbers that were never written."""


def open_hdf5(path: Path) -> dict[str, Callable[[], Rows]]:
    """Return readers of the data sets of a file by name; links to other files are not followed."""
    require("h5py", extra="hdf5")
    import h5py

    with _readable():
        file = h5py.File(path, "r")
        names = [name for name in file if isinstance(file.get(name, getlink=True), h5py.HardLink)]
        datasets = {name: file[name] for name in names if isinstance(file[name], h5py.Dataset)}
    return {name: partial(_rows, name, dataset) for name, dataset in datasets.items()}


def _rows(name: str, dataset: Any) -> Rows:
    import h5py

    with _readable():
        if h5py.check_string_dtype(dataset.dtype) is not None:
            return Rows.of(np.asarray(dataset.asstr()[()]).astype(np.str_))
        if dataset.dtype.kind not in "fiub":
            raise ValueError(f"its {name} holds {dataset.dtype}, which is neither numbers nor text")
        if dataset.external is not None or dataset.is_virtual:
            raise ValueError(f"its {name} is stored in another file")
        if dataset.shape is None:
            raise ValueError(f"its {name} is empty")
        stored = dataset.id.get_storage_size()
        if dataset.nbytes > _LARGEST_RATIO * stored:
            raise ValueError(f"its {name} has the shape {dataset.shape}, but only {stored} bytes of it were written")

    dtype = dataset.dtype.newbyteorder("=")

    def read(begin: int, end: int) -> Array:
        with _readable():
            return np.asarray(dataset[begin:end], dtype)

    return Rows(dataset.shape, dtype, read) if dataset.ndim else Rows.of(np.asarray(dataset[()]))


@contextmanager
def _readable() -> Iterator[None]:
    """Turn the errors of HDF5 about damaged files, which are of many types, into ValueErrors."""
    try:
        yield
    except (OSError, RuntimeError, KeyError, TypeError, MemoryError) as error:
        raise ValueError(str(error).strip("'\"")) from error


def write_hdf5(file: BinaryIO, pieces: Iterable[Mapping[str, Array]]) -> None:
    """Write columns as data sets that grow piece by piece."""
    require("h5py", extra="hdf5")
    import h5py

    with h5py.File(file.name, "w") as output:  # the same file by its name: HDF5 reads what it has written
        for piece in pieces:
            for name, array in piece.items():
                column = array.astype(object) if array.dtype.kind == "U" else array
                if name not in output:
                    dtype = h5py.string_dtype() if column.dtype == object else column.dtype
                    output.create_dataset(name, data=column, dtype=dtype, maxshape=(None, *column.shape[1:]))
                else:
                    dataset = output[name]
                    dataset.resize(len(dataset) + len(column), axis=0)
                    dataset[-len(column) :] = column
