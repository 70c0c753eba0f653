"""Reads rows, labels and other columns from plain array files, by the usual names of arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.embeddings.part_names import TEST_NAMES, TRAIN_NAME
from hypertorus.files.arrays import Arrays, read_column
from hypertorus.files.column_names import COLUMNS, ROWS
from hypertorus.files.rows import Rows, joined
from hypertorus.files.suffixes import HDF5, split_name

Array = npt.NDArray[Any]

KIND_NAMES = ("raw", "points", "turns", "codes")
"""Names of arrays that are also the kind of their rows."""
_ROWS = (
    ROWS,
    *KIND_NAMES,
    "embeddings",
    "embedding",
    "vectors",
    "vector",
    "features",
    "images",
    "data",
    "x",
    "queries",
)
_NAMES = (*COLUMNS["paths"], *COLUMNS["names"])


@dataclass(frozen=True)
class Table:
    """Rows [n, ...], which stay in their file, and, if it has them, columns with one value for each row."""

    rows: Rows
    kind: str | None = None
    """Kind of the rows, if the name of the array tells it."""
    labels: Array | None = None
    parts: npt.NDArray[np.str_] | None = None
    groups: Array | None = None
    names: npt.NDArray[np.str_] | None = None
    starts: npt.NDArray[np.float64] | None = None
    paths: bool = False
    """Whether the names are paths, whose folders and file names say more."""

    def __post_init__(self) -> None:
        if self.rows.ndim == 0:
            raise ValueError("the rows are a single number; pass a matrix [rows, numbers].")
        for name in ("labels", "parts", "groups", "names", "starts"):
            column = getattr(self, name)
            if column is not None and column.shape != (len(self.rows),):
                raise ValueError(
                    f"there are {len(self.rows)} rows but {name} of shape {column.shape}; give each row one."
                )


def read_table(source: str | Path, labels: Path | None = None) -> Table:
    """Return the rows in FILE, or in FILE:NAME if a file holds several arrays or sets of arrays.

    Rows are the only array of a file, or the array called `embeddings`, `vectors`, `images`, `data`, `X` or the like,
    with columns `labels` (or `y`), `path` (or `names`), `part`, `group` and `start` beside it; or they are two parts:
    `train` and `test` (`x_train`, `train_images`, `val`...) with `train_labels` and `test_labels` (`y_train`...).
    NAME is the name of the array, or a prefix `NAME_` of all of these; for the HDF5 files of ann-benchmarks it is
    `train` unless it is given. Without labels, the first folder of each `path` is the label. `labels` is an .npy or
    .txt file of labels, which replace those of FILE.
    """
    path, name = split_name(source)
    arrays = Arrays(path)
    lower = {key.lower(): key for key in arrays}
    lookup = _Lookup(arrays, lower, "" if name is None or name.lower() in lower else f"{name.lower()}_")
    try:
        table = (None if name is not None and not lookup.prefix else _parts(lookup)) or _whole(lookup, path, name)
    except ValueError as error:
        raise error if str(path) in str(error) else ValueError(f"{path}: {error}") from error
    if labels is None:
        return table
    if table.parts is not None and table.labels is not None:
        raise ValueError(f"--labels is {labels}, but {path} has labels for each of its parts; leave it out.")
    return replace(table, labels=_flat(read_column(labels, "labels")))


@dataclass(frozen=True)
class _Lookup:
    """Looks up arrays by any of several spellings, in any case, with a prefix that columns may lack."""

    arrays: Arrays
    lower: Mapping[str, str]
    prefix: str

    def find(self, spellings: Iterable[str], *, bare: bool = True) -> str | None:
        for spelling in spellings:
            for key in (self.prefix + spelling, spelling) if bare else (self.prefix + spelling,):
                if key in self.lower:
                    return self.lower[key]
        return None

    def column(self, spellings: Iterable[str]) -> Array | None:
        key = self.find(spellings)
        return None if key is None else self.arrays[key]


def _parts(lookup: _Lookup) -> Table | None:
    """Return the rows of both parts, one after the other, or None unless there are both."""
    parts = [_part(lookup, (TRAIN_NAME,)), _part(lookup, TEST_NAMES)]
    if None in parts:
        return None
    both = [part for part in parts if part is not None]
    sizes = [len(part.rows) for part in both]
    if both[0].rows.shape[1:] != both[1].rows.shape[1:]:
        raise ValueError(
            f"training rows have shape {both[0].rows.shape[1:]} and test rows {both[1].rows.shape[1:]}; "
            "give both the same."
        )
    return Table(
        joined([part.rows for part in both]),
        labels=_concatenate([part.labels for part in both]),
        parts=np.repeat(["train", "test"], sizes),
        groups=_concatenate([part.groups for part in both]),
        names=_concatenate([part.names for part in both]),
    )


def _part(lookup: _Lookup, parts: tuple[str, ...]) -> Table | None:
    """Return the first of these parts that the file has, under the first spelling that has labels too."""
    for part in parts:
        for rows, labels in (
            (part, f"{part}_labels"),
            (f"{part}_images", f"{part}_labels"),
            (f"x_{part}", f"y_{part}"),
            (f"{part}_x", f"{part}_y"),
        ):
            key = lookup.find([rows], bare=False)
            if key is None or (numbers := lookup.column([labels])) is None:
                continue
            names = lookup.column([f"{part}_{name}" for name in _NAMES])
            return Table(
                lookup.arrays.rows(key),
                labels=_flat(numbers),
                groups=_column(lookup, part, COLUMNS["groups"]),
                names=_text(names),
            )
    return None


def _column(lookup: _Lookup, part: str, spellings: Iterable[str]) -> Array | None:
    return lookup.column([f"{part}_{spelling}" for spelling in spellings])


def _whole(lookup: _Lookup, path: Path, name: str | None) -> Table:
    if name is not None and not lookup.prefix:
        key: str | None = lookup.lower[name.lower()]
    else:
        usual = (*_ROWS, TRAIN_NAME) if path.suffix in HDF5 else _ROWS
        key = lookup.find(usual, bare=False) or (next(iter(lookup.arrays)) if len(lookup.arrays) == 1 else None)
    if key is None:
        holds = ", ".join(lookup.arrays) or "no arrays"
        raise ValueError(f"{path} holds {holds}; name the array of its rows: {path}:NAME.")
    names, starts = _text(lookup.column(_NAMES)), lookup.column(COLUMNS["starts"])
    labels = _flat(lookup.column(COLUMNS["labels"]))
    paths = lookup.find(COLUMNS["paths"]) is not None
    if labels is None and names is not None and paths:
        labels = _first_folders(names)
    parts = _text(lookup.column(COLUMNS["parts"]))
    return Table(
        lookup.arrays.rows(key),
        key.lower() if key.lower() in KIND_NAMES else None,
        labels,
        None if parts is None else np.where(np.isin(parts, TEST_NAMES), "test", parts),
        _flat(lookup.column(COLUMNS["groups"])),
        names,
        None if starts is None else starts.astype(np.float64),
        paths,
    )


def _flat(column: Array | None) -> Array | None:
    """Return a column [n], also from a matrix [n, 1]."""
    return column[:, 0] if column is not None and column.ndim == 2 and column.shape[1] == 1 else column


def _text(column: Array | None) -> npt.NDArray[np.str_] | None:
    if column is None:
        return None
    flat = column.ravel()
    return np.char.decode(flat, "utf-8") if flat.dtype.kind == "S" else flat.astype(np.str_)


def _concatenate(columns: list[Any]) -> Any:
    return None if any(column is None for column in columns) else np.concatenate(columns)


def _first_folders(paths: npt.NDArray[np.str_]) -> npt.NDArray[np.str_] | None:
    """Return the first folder of each path as its class, or None unless every path has one."""
    parts = [PurePosixPath(path.replace("\\", "/")).parts for path in paths.tolist()]
    return None if any(len(each) < 2 for each in parts) else np.array([each[0] for each in parts])
