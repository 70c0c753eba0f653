"""Reads embeddings from any file: a record as `hypertorus embed` writes it, or plain arrays."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.embeddings.file import is_record, record_of
from hypertorus.embeddings.record import Embeddings
from hypertorus.embeddings.recordings import recordings
from hypertorus.embeddings.stream import Stream
from hypertorus.embeddings.table import Table, read_table
from hypertorus.files.arrays import Arrays, read_column
from hypertorus.files.rows import Rows
from hypertorus.files.suffixes import split_name


def read_embeddings(
    source: str | os.PathLike[str],
    *,
    space: str | None = None,
    kind: str | None = None,
    bits: int | None = None,
    labels: str | os.PathLike[str] | None = None,
) -> Embeddings:
    """Return the embeddings in a file, with the labels and other columns.

    A .safetensors file that `hypertorus embed`, `hypertorus encode` or `Embeddings.save` wrote records its space, kind
    and bits; a `space`, `kind` or `bits` that contradicts it is an error. Plain arrays are read from .npy, .npz, .csv,
    .safetensors, .parquet, .arrow, .hdf5, .fbin, .u8bin, .i8bin, .ibin, .fvecs, .bvecs and .ivecs files; `space` is
    required, and they are raw numbers or, if they are bytes, codes of 8 bits, unless `kind` and `bits` say otherwise.
    Signed bytes are codes too: codes wrap around, so -1 is the same angle as 255. `labels` is a file with a label for
    each row. See `read_table` for the names of columns in plain files.
    """
    record = labelled_record(source, labels, space=space, kind=kind, bits=bits)
    return record or stream_of(_table(source, labels), str(source), space, kind, bits).whole()


def open_embeddings(
    source: str | os.PathLike[str], *, space: str | None = None, labels: str | os.PathLike[str] | None = None
) -> Stream:
    """Return the embeddings in a file as a stream of pieces; options are those of `read_embeddings`."""
    record = labelled_record(source, labels, space=space)
    return Stream.of(record) if record else stream_of(_table(source, labels), str(source), space)


def read_vectors(source: str | os.PathLike[str], labels: str | os.PathLike[str] | None = None) -> Table:
    """Return the rows in a file and their columns: of a record its raw numbers, else what `read_table` finds."""
    record = labelled_record(source, labels)
    return _table(source, labels) if record is None else table_of(record)


def table_of(record: Embeddings) -> Table:
    """Return the raw numbers of a record as rows of vectors."""
    columns = {name: getattr(record, name) for name in ("parts", "groups", "names", "starts")}
    known = record.labels is not None and bool((record.labels >= 0).any())
    return Table(Rows.of(record.raw()), labels=record.label_names if known else None, **columns)


def _table(source: str | os.PathLike[str], labels: str | os.PathLike[str] | None) -> Table:
    return read_table(os.fspath(source), None if labels is None else Path(labels))


def labelled_record(
    source: str | os.PathLike[str], labels: str | os.PathLike[str] | None = None, **options: Any
) -> Embeddings | None:
    """Return the record in a file, with other labels if they are given, or None if the file holds plain arrays.

    An option, such as its `space`, that contradicts what it says of itself is an error.
    """
    path, array_name = split_name(os.fspath(source))
    record = read_record(path) if array_name is None else None
    if record is None:
        return None
    check_agrees(record, path, **options)
    if labels is None:
        return record
    classes, numbers = class_numbers(read_column(Path(labels), "labels"), str(labels))
    return replace(record, labels=numbers, classes=classes)


def check_agrees(record: Embeddings, path: Path, **options: Any) -> None:
    """Raise a ValueError if an option contradicts what a record says of itself."""
    for name, option in options.items():
        if None not in (option, getattr(record, name)) and option != getattr(record, name):
            raise ValueError(
                f"{name} is {option}, but {path} holds {record.kind} of {_description(record)}; leave it out."
            )


def read_record(path: Path) -> Embeddings | None:
    """Return the record in a file, or None if the file holds plain arrays."""
    if path.suffix != ".safetensors":
        return None
    arrays = Arrays(path)
    return record_of(arrays) if is_record(arrays) else None


def stream_of(table: Table, place: str, space: str | None, kind: str | None = None, bits: int | None = None) -> Stream:
    """Return the embeddings of plain arrays; `place` names their file in errors."""
    if space is None:
        raise ValueError(f"{place} does not name the space of its rows; pass --space sphere, torusN or torusC.")
    rows = table.rows
    if rows.ndim != 2 or rows.dtype.kind not in "fiu":
        raise ValueError(f"{place} holds {rows.dtype} of shape {rows.shape}; pass a matrix of numbers [rows, numbers].")
    what = kind or table.kind or ("codes" if rows.dtype in BYTES else "raw")
    classes, labels = ((), None) if table.labels is None else class_numbers(table.labels, place)
    groups = table.groups
    if groups is None and table.names is not None and table.paths:
        groups = recordings(table.names.tolist())
    elif groups is not None and groups.dtype.kind not in "iu":
        groups = np.unique(groups, return_inverse=True)[1]
    columns = {"labels": labels, "parts": table.parts, "groups": groups, "names": table.names, "starts": table.starts}

    def piece(part: slice) -> Embeddings:
        numbers = rows[part]
        if what == "codes":
            numbers = _as_codes(numbers, place, part.start, bits or 8)
        else:
            numbers = numbers if numbers.dtype.kind == "f" else numbers.astype(np.float64)
            _check_finite(numbers, place, part.start)
        of_part: dict[str, Any] = {name: None if column is None else column[part] for name, column in columns.items()}
        return Embeddings(numbers, what, space, bits=bits if what == "codes" else None, classes=classes, **of_part)

    return Stream(rows, piece, labelled=labels is not None)


BYTES = (np.dtype(np.uint8), np.dtype(np.int8))
"""Types of codes of 8 bits. Codes wrap around, so that a signed byte is the same angle as its unsigned view."""


def _as_codes(rows: npt.NDArray[Any], place: str, first: int, bits: int) -> npt.NDArray[Any]:
    """Return rows as codes, once it is clear that they fit into these bits."""
    codes = rows.view(np.uint8) if rows.dtype == np.int8 and bits == 8 else rows
    if codes.dtype.kind == "f" or (codes.dtype == np.uint8 and bits == 8):
        return codes
    for part in Rows.of(codes).slices():
        outside = (codes[part] < 0) | (codes[part] >= 2**bits)
        if outside.any():
            row, column = np.unravel_index(int(outside.argmax()), outside.shape)
            raise ValueError(
                f"{place} holds the code {codes[part][row, column]} in row {first + part.start + row}; {bits} bits "
                f"have 0 to {2**bits - 1}."
            )
    return codes


def _check_finite(rows: npt.NDArray[Any], place: str, first: int) -> None:
    """Raise a ValueError that names the first row with a NaN or an infinity; large files are looked at in pieces."""
    for part in Rows.of(rows).slices():
        broken = ~np.isfinite(rows[part]).all(axis=1)
        if broken.any():
            row = first + part.start + int(broken.argmax())
            raise ValueError(f"{place} has a NaN or an infinity in row {row}; every number must be finite.")


def class_numbers(labels: npt.NDArray[Any], place: str) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]:
    """Return the classes in order, and each label as the number of its class.

    >>> class_numbers(np.array(["owl", "jay", "owl"]), "here")
    (('jay', 'owl'), array([1, 0, 1]))
    """
    if labels.ndim != 1 or labels.dtype.kind not in "iubUS":
        raise ValueError(
            f"{place} has labels of {labels.dtype} and shape {labels.shape}; pass a whole number or a string a row."
        )
    text = np.char.decode(labels, "utf-8") if labels.dtype.kind == "S" else labels
    names, numbers = np.unique(text, return_inverse=True)
    return tuple(map(str, names)), numbers.astype(np.int64)


def _description(record: Embeddings) -> str:
    return f"{record.bits} bits in {record.space}" if record.kind == "codes" else record.space
