"""Columns of Parquet and Arrow files: lists of numbers as rows, read a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from hypertorus.files.batches import rows_of_batches
from hypertorus.files.column_names import ROWS, vector_columns
from hypertorus.files.extras import require
from hypertorus.files.mapped import MappedFile
from hypertorus.files.rows import Array, Rows

_ROWS_AT_ONCE = 2**13
_BUFFER_BYTES = 2**20
_END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"


@dataclass(frozen=True)
class _File:
    """What Parquet and Arrow have in common."""

    types: dict[str, Any]
    """The type of each column."""
    count: int
    batches: Callable[[list[str]], Iterator[Any]]
    """Record batches of these columns, from the first row on."""


def open_columns(path: Path) -> dict[str, Callable[[], Array | Rows]]:
    """Return readers of the columns by name: lists as rows or, without any, all columns of numbers as `rows`."""
    require("pyarrow", extra="parquet")
    import pyarrow as pa

    with _readable():
        file = _open_parquet(path) if path.suffix == ".parquet" else _open_arrow(path)
    lists = [name for name, kind in file.types.items() if _is_list(kind)]
    plain = {name for name, kind in file.types.items() if pa.types.is_floating(kind) or pa.types.is_integer(kind)}
    numbers = [] if lists else [name for name in vector_columns(file.types) if name in plain]
    readers: dict[str, Callable[[], Array | Rows]] = {
        name: partial(_matrix, file, [name]) if name in lists else partial(_column, file, name)
        for name in file.types
        if name not in numbers
    }
    return {**({ROWS: partial(_matrix, file, numbers)} if numbers else {}), **readers}


def parquet_batches(path: Path, needed: Sequence[str], optional: Sequence[str]) -> Iterator[Any]:
    """Yield record batches with the columns that are needed, and those of the optional ones that the file has."""
    require("pyarrow", extra="parquet")
    with _readable():
        file = _open_parquet(path)
    for name in needed:
        if name not in file.types:
            raise ValueError(f"it has no column {name}")
    names = [*needed, *(name for name in optional if name in file.types)]
    yield from _sound(file.batches(names))


def _open_parquet(path: Path) -> _File:
    import pyarrow.parquet as pq

    # With a buffer, a column chunk is read as it is needed; without, all of it at once, and it may be the whole file.
    file = pq.ParquetFile(path, buffer_size=_BUFFER_BYTES, pre_buffer=False)

    def batches(names: list[str]) -> Iterator[Any]:
        return file.iter_batches(_ROWS_AT_ONCE, columns=names)

    return _File({field.name: field.type for field in file.schema_arrow}, file.metadata.num_rows, batches)


def _open_arrow(path: Path) -> _File:
    """Return the columns of a file in either of Arrow's formats: with random access (Feather), or a stream."""
    import pyarrow as pa

    file = MappedFile(path)

    def reader(fields: list[int]) -> Any:
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        try:
            return pa.ipc.open_file(pa.BufferReader(file.pages), options=options)
        except pa.ArrowInvalid:
            if file.pages[-len(_END_OF_STREAM) :] != _END_OF_STREAM:  # else a cut between two batches would go unseen
                raise
            return pa.ipc.open_stream(pa.BufferReader(file.pages), options=options)

    def batches(names: list[str]) -> Iterator[Any]:
        opened = reader(sorted(places[name] for name in names))
        listed = isinstance(opened, pa.ipc.RecordBatchFileReader)
        for batch in map(opened.get_batch, range(opened.num_record_batches)) if listed else opened:
            yield batch
            file.release()

    types = {field.name: field.type for field in reader([]).schema}
    places = {name: place for place, name in enumerate(types)}
    first = next(iter(types), None)
    count = 0 if first is None else sum(len(batch) for batch in batches([first]))
    return _File(types, count, batches)


def _matrix(file: _File, names: list[str]) -> Rows:
    """Return the lists of one column, or the numbers of several, as rows."""
    convert = partial(_lists, names[0]) if _is_list(file.types[names[0]]) else partial(_numbers, names)
    return rows_of_batches(file.count, lambda: map(convert, _sound(file.batches(names))))


def _column(file: _File, name: str) -> Array:
    arrays = [_plain(name, batch.column(0)) for batch in _sound(file.batches([name]))]
    whole = np.concatenate(arrays) if arrays else np.empty(0)
    return whole.astype(np.str_) if whole.dtype.kind == "O" else whole


def _sound(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield batches whose offsets lie within them: those of a damaged file would be read from anywhere in memory."""
    with _readable():
        for batch in batches:
            batch.validate(full=True)
            yield batch


def _numbers(names: list[str], batch: Any) -> Array:
    return np.stack([_plain(name, batch.column(name)).astype(np.float64) for name in names], axis=1)


def _plain(name: str, column: Any) -> Array:
    if column.null_count:
        raise ValueError(f"the column {name} has {column.null_count} empty cells; fill them or leave them out")
    return column.to_numpy(zero_copy_only=False)


def _lists(name: str, batch: Any) -> Array:
    import pyarrow.compute as pc

    column = batch.column(0)
    lengths = _plain(name, pc.list_value_length(column))
    if len(lengths) and (lengths != lengths[0]).any():
        raise ValueError(f"the column {name} holds lists of different lengths")
    return _plain(name, column.flatten()).reshape(len(column), lengths[0] if len(lengths) else 0)


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind) or pa.types.is_large_list(kind))


@contextmanager
def _readable() -> Iterator[None]:
    """Turn the errors of pyarrow about damaged files, which are of many types, into ValueErrors."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise ValueError(" ".join(str(error).split())) from error


def write_columns(file: BinaryIO, pieces: Iterable[Mapping[str, Array]], *, parquet: bool) -> None:
    """Write columns a piece at a time; a matrix becomes a column of lists of a fixed size."""
    require("pyarrow", extra="parquet")
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    try:
        for piece in pieces:
            batch = pa.record_batch([_stored(array) for array in piece.values()], list(piece))
            if writer is None:
                make = pq.ParquetWriter if parquet else pa.ipc.new_file
                writer = make(file, batch.schema)
            writer.write_batch(batch)
    finally:
        if writer is not None:
            writer.close()


def _stored(array: Array) -> Any:
    import pyarrow as pa

    if array.ndim == 1:
        return pa.array(array)
    return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(array).reshape(-1)), array.shape[1])
