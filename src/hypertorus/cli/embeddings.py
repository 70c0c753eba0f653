"""Embeddings with labels from files: .npz, .npy or .csv, never a pickle."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

NAMES = ("train", "train_labels", "test", "test_labels")


class Split(NamedTuple):
    """Embeddings to search and embeddings to search for, with their labels."""

    train: npt.NDArray[Any]
    train_labels: npt.NDArray[Any]
    test: npt.NDArray[Any]
    test_labels: npt.NDArray[Any]


def read_split(file: Path, labels: Path | None, share: float, seed: int) -> Split:
    """A train and a test part: as the file names them, or a random share of its rows set aside for testing.

    An .npz may hold `train`, `train_labels`, `test`, `test_labels` (or `val` for `test`, and any of these with a
    prefix `NAME_`, chosen by FILE.npz:NAME), or `embeddings` and `labels`. A .csv has a column `label`; an .npy takes
    its labels from another file.
    """
    prefix = ""
    if ".npz:" in file.name:
        name, prefix = file.name.rsplit(":", 1)
        file, prefix = file.with_name(name), prefix + "_"
    if file.suffix == ".npz":
        arrays = _read_npz(file)
        if parts := _named_parts(arrays, prefix):
            return parts
        embeddings, given = arrays.get("embeddings"), arrays.get("labels")
    else:
        embeddings, given = read_rows(file, labels)
    if embeddings is None or given is None:
        raise ValueError(f"{file} has neither {', '.join(NAMES)} nor embeddings and labels.")
    if not 0 < share < 1:
        raise ValueError(f"--test-share is {share}; it must be between 0 and 1.")
    if len(given) != len(embeddings):
        raise ValueError(f"there are {len(embeddings)} embeddings but {len(given)} labels; give each row one.")
    order = np.random.default_rng(seed).permutation(len(embeddings))
    cut = max(1, round(share * len(order)))
    test, train = np.sort(order[:cut]), np.sort(order[cut:])
    return Split(embeddings[train], given[train], embeddings[test], given[test])


def read_rows(file: Path, labels: Path | None = None) -> tuple[npt.NDArray[Any], npt.NDArray[Any] | None]:
    """The rows of an .npy or .csv file, and their labels where it or the label file has them."""
    if file.suffix == ".csv":
        return _read_csv(file)
    if file.suffix != ".npy":
        raise ValueError(f"{file} has the suffix {file.suffix!r}; pass embeddings as .npz, .npy or .csv.")
    return _load(file), None if labels is None else _load(labels)


def _named_parts(arrays: dict[str, npt.NDArray[Any]], prefix: str) -> Split | None:
    found = []
    for name in NAMES:
        spellings = [prefix + name, prefix + name.replace("test", "val"), name, name.replace("test", "val")]
        found.append(next((arrays[spelling] for spelling in spellings if spelling in arrays), None))
    train, train_labels, test, test_labels = found
    if train is None or train_labels is None or test is None or test_labels is None:
        return None
    return Split(train, train_labels, test, test_labels)


def _read_npz(file: Path) -> dict[str, npt.NDArray[Any]]:
    with _load(file) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _load(file: Path) -> Any:
    try:
        return np.load(file, allow_pickle=False)
    except (ValueError, EOFError, BadZipFile) as error:
        raise ValueError(f"{file} is not a readable {file.suffix} file ({error}).") from error


def _read_csv(file: Path) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.str_] | None]:
    with file.open(newline="") as lines:
        rows = list(csv.reader(lines))
    if len(rows) < 2:
        raise ValueError(f"{file} has no rows; pass a line of column names and then a line for each embedding.")
    header, body = rows[0], rows[1:]
    place = header.index("label") if "label" in header else None
    try:
        numbers = np.array([[float(c) for i, c in enumerate(row) if i != place] for row in body])
    except ValueError as error:
        raise ValueError(f"{file} has a cell that is no number ({error}); only the column `label` may.") from error
    return numbers, None if place is None else np.array([row[place] for row in body])
