"""Rows and what is known of each, from the array files of others: found by the names that people give their arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.embeddings.part_names import TEST_NAMES, TRAIN_NAME
from hypertorus.files.arrays import ROWS, Arrays, read_column, split_name

Array = npt.NDArray[Any]

KIND_NAMES = ("raw", "points", "turns", "codes")
"""Arrays that say by their name what their numbers are."""
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
_LABELS = ("labels", "label", "y", "target", "targets")
_PATHS = ("path", "paths", "file", "files")
_NAMES = (*_PATHS, "names", "name", "texts", "text")
_PARTS = ("parts", "part", "split")
_GROUPS = ("groups", "group", "recordings", "recording")
_STARTS = ("starts", "start")


@dataclass(frozen=True)
class Table:
    """Rows [n, ...] of any meaning and, where the file has them, one value of each column for each row."""

    rows: Array
    kind: str | None = None
    """What the numbers are, where the array's name says so."""
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
        for what in ("labels", "parts", "groups", "names", "starts"):
            column = getattr(self, what)
            if column is not None and column.shape != (len(self.rows),):
                raise ValueError(
                    f"there are {len(self.rows)} rows but {what} of shape {column.shape}; give each row one."
                )


def read_table(source: str | Path, labels: Path | None = None) -> Table:
    """The rows in FILE, or in FILE:NAME where a file holds several arrays or sets of arrays.

    Rows are the only array of a file, or the array called `embeddings`, `vectors`, `images`, `data`, `X` or the like,
    with columns `labels` (or `y`), `path` (or `names`), `part`, `group` and `start` beside it; or they are two parts:
    `train` and `test` (`x_train`, `train_images`, `val`...) with `train_labels` and `test_labels` (`y_train`...).
    NAME is the name of the array, or a prefix `NAME_` of all of these. Without labels, the first folder of each `path`
    is the label. `labels` is a file of its own, .npy or .txt, which comes before all others.
    """
    path, name = split_name(source)
    arrays = Arrays(path)
    lower = {key.lower(): key for key in arrays}
    named = _Named(arrays, lower, "" if name is None or name.lower() in lower else f"{name.lower()}_")
    try:
        table = (None if name is not None and not named.prefix else _parts(named)) or _whole(named, path, name)
    except ValueError as error:
        raise error if str(path) in str(error) else ValueError(f"{path}: {error}") from error
    if labels is None:
        return table
    if table.parts is not None and table.labels is not None:
        raise ValueError(f"--labels is {labels}, but {path} has labels for each of its parts; leave it out.")
    return _replaced(table, labels)


@dataclass(frozen=True)
class _Named:
    """Arrays found by any of several spellings, in lower case, behind a prefix that columns may lack."""

    arrays: Mapping[str, Array]
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


def _parts(named: _Named) -> Table | None:
    """The rows of two parts, one after the other."""
    parts = [_part(named, (TRAIN_NAME,)), _part(named, TEST_NAMES)]
    if None in parts:
        return None
    both = [part for part in parts if part is not None]
    sizes = [len(part.rows) for part in both]
    if both[0].rows.shape[1:] != both[1].rows.shape[1:]:
        raise ValueError(
            f"the rows to train on are {both[0].rows.shape[1:]} and those to test on {both[1].rows.shape[1:]}."
        )
    return Table(
        np.concatenate([part.rows for part in both]),
        labels=_joined([part.labels for part in both]),
        parts=np.repeat(["train", "test"], sizes),
        groups=_joined([part.groups for part in both]),
        names=_joined([part.names for part in both]),
    )


def _part(named: _Named, parts: tuple[str, ...]) -> Table | None:
    """The first of these parts that is there, in the first spelling that has labels too."""
    for part in parts:
        for rows, labels in (
            (part, f"{part}_labels"),
            (f"{part}_images", f"{part}_labels"),
            (f"x_{part}", f"y_{part}"),
            (f"{part}_x", f"{part}_y"),
        ):
            key = named.find([rows], bare=False)
            if key is None or (numbers := named.column([labels])) is None:
                continue
            names = named.column([f"{part}_{name}" for name in _NAMES])
            return Table(
                named.arrays[key], labels=_flat(numbers), groups=_column(named, part, _GROUPS), names=_text(names)
            )
    return None


def _column(named: _Named, part: str, spellings: Iterable[str]) -> Array | None:
    return named.column([f"{part}_{spelling}" for spelling in spellings])


def _whole(named: _Named, path: Path, name: str | None) -> Table:
    if name is not None and not named.prefix:
        key: str | None = named.lower[name.lower()]
    else:
        key = named.find(_ROWS, bare=False) or (next(iter(named.arrays)) if len(named.arrays) == 1 else None)
    if key is None:
        holds = ", ".join(named.arrays) or "no arrays"
        raise ValueError(f"{path} holds {holds}; name the array of its rows: {path}:NAME.")
    names, starts = _text(named.column(_NAMES)), named.column(_STARTS)
    labels = _flat(named.column(_LABELS))
    paths = named.find(_PATHS) is not None
    if labels is None and names is not None and paths:
        labels = _first_folders(names)
    parts = _text(named.column(_PARTS))
    return Table(
        named.arrays[key],
        key.lower() if key.lower() in KIND_NAMES else None,
        labels,
        None if parts is None else np.where(np.isin(parts, TEST_NAMES), "test", parts),
        _flat(named.column(_GROUPS)),
        names,
        None if starts is None else starts.astype(np.float64),
        paths,
    )


def _replaced(table: Table, labels: Path) -> Table:
    given = _flat(read_column(labels, "labels"))
    return replace(table, labels=given)


def _flat(column: Array | None) -> Array | None:
    """A column [n] of one that may be a matrix [n, 1]."""
    return column[:, 0] if column is not None and column.ndim == 2 and column.shape[1] == 1 else column


def _text(column: Array | None) -> npt.NDArray[np.str_] | None:
    if column is None:
        return None
    flat = column.ravel()
    return np.char.decode(flat, "utf-8") if flat.dtype.kind == "S" else flat.astype(np.str_)


def _joined(columns: list[Any]) -> Any:
    return None if any(column is None for column in columns) else np.concatenate(columns)


def _first_folders(paths: npt.NDArray[np.str_]) -> npt.NDArray[np.str_] | None:
    """The class of each path; None where not every path has a folder."""
    parts = [PurePosixPath(path.replace("\\", "/")).parts for path in paths.tolist()]
    return None if any(len(each) < 2 for each in parts) else np.array([each[0] for each in parts])
