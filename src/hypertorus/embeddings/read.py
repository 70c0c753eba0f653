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
from hypertorus.embeddings.table import Table, read_table
from hypertorus.files.arrays import Arrays, read_column, split_name


def read_embeddings(
    source: str | os.PathLike[str],
    *,
    space: str | None = None,
    kind: str | None = None,
    bits: int | None = None,
    labels: str | os.PathLike[str] | None = None,
) -> Embeddings:
    """Return the embeddings in a .safetensors, .npy, .npz, .csv or .parquet file, with the labels and other columns.

    A file that `hypertorus embed`, `hypertorus encode` or `Embeddings.save` wrote records its space, kind and bits; a
    `space`, `kind` or `bits` that contradicts it is an error. For plain arrays, `space` is required; they are raw
    numbers or, if they are bytes, codes of 8 bits, unless `kind` and `bits` say otherwise. `labels` is a file with a
    label for each row. See `read_table` for the names of columns in plain files.
    """
    path, array_name = split_name(os.fspath(source))
    record = read_record(path) if array_name is None else None
    if record is None:
        table = read_table(os.fspath(source), None if labels is None else Path(labels))
        return from_table(table, str(source), space, kind, bits)
    for name, option in (("space", space), ("kind", kind), ("bits", bits)):
        if None not in (option, getattr(record, name)) and option != getattr(record, name):
            raise ValueError(
                f"{name} is {option}, but {path} holds {record.kind} of {_description(record)}; leave it out."
            )
    if labels is None:
        return record
    classes, numbers = class_numbers(read_column(Path(labels), "labels"), str(labels))
    return replace(record, labels=numbers, classes=classes)


def read_record(path: Path) -> Embeddings | None:
    """Return the record in a file, or None if the file holds plain arrays."""
    if path.suffix != ".safetensors":
        return None
    arrays = Arrays(path)
    return record_of(arrays) if is_record(arrays) else None


def from_table(
    table: Table, place: str, space: str | None, kind: str | None = None, bits: int | None = None
) -> Embeddings:
    """Return a record of plain arrays; `place` names their file in errors."""
    if space is None:
        raise ValueError(f"{place} does not name the space of its rows; pass --space sphere, torusN or torusC.")
    rows = table.rows
    if rows.ndim != 2 or rows.dtype.kind not in "fiu":
        raise ValueError(f"{place} holds {rows.dtype} of shape {rows.shape}; pass a matrix of numbers [rows, numbers].")
    what = kind or table.kind or ("codes" if rows.dtype == np.uint8 else "raw")
    if what != "codes" and rows.dtype.kind != "f":
        rows = rows.astype(np.float64)
    classes, numbers = ((), None) if table.labels is None else class_numbers(table.labels, place)
    groups = table.groups
    if groups is None and table.names is not None and table.paths:
        groups = recordings(table.names.tolist())
    elif groups is not None and groups.dtype.kind not in "iu":
        groups = np.unique(groups, return_inverse=True)[1]
    if what != "codes":
        _check_finite(rows, place)
    return Embeddings(
        rows,
        what,
        space,
        bits=bits if what == "codes" else None,
        labels=numbers,
        classes=classes,
        parts=table.parts,
        groups=groups,
        names=table.names,
        starts=table.starts,
    )


def _check_finite(rows: npt.NDArray[Any], place: str) -> None:
    """Raise a ValueError that names the first row with a NaN or an infinity; large files are looked at in pieces."""
    step = max(1, 2**22 // rows.shape[1])
    for begin in range(0, len(rows), step):
        broken = ~np.isfinite(rows[begin : begin + step]).all(axis=1)
        if broken.any():
            row = begin + int(broken.argmax())
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
