"""Rows with labels from files: .npz, .npy, .csv or .safetensors, never a pickle."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from hypertorus.files.tensors import TensorFile

_TRAIN_NAMES = ("train", "train_images", "x_train")
_TEST_NAMES = ("test", "test_images", "x_test", "val", "val_images", "x_val")
_WHOLE_NAMES = ("embeddings", "embedding", "images", "data")


class Split(NamedTuple):
    """Rows to search or learn from and rows to test with, and their labels."""

    train: npt.NDArray[Any]
    train_labels: npt.NDArray[Any]
    test: npt.NDArray[Any]
    test_labels: npt.NDArray[Any]


class Labelled(NamedTuple):
    """Rows that no one has split yet, and their labels."""

    rows: npt.NDArray[Any]
    labels: npt.NDArray[Any]


def read_labelled(file: Path, labels: Path | None = None) -> Split | Labelled:
    """The parts a file names, or all of its rows where it names none.

    An .npz may hold `train`, `train_labels`, `test`, `test_labels` (or `val` for `test`; or `train_images`; or
    `x_train`, `y_train`, `x_test`, `y_test`), or `embeddings`, `images` or `data` with `labels`, or with `path`, whose
    first folder is then the label. Any of these may have a prefix `NAME_`, chosen by FILE.npz:NAME, which labels may
    lack. A .csv has a column `label`, and a .safetensors file has `points` and `labels`, as `hypertorus embed --float`
    writes them. Labels may also come from an .npy file, `labels`.
    """
    file, prefix = _without_prefix(file)
    if file.suffix == ".npz":
        found = _from_npz(file, prefix, labels)
    elif file.suffix == ".safetensors":
        found = _from_safetensors(file, labels)
    else:
        rows, given = read_rows(file, labels)
        found = None if given is None else Labelled(rows, given)
    if found is None:
        raise ValueError(
            f"{file} has neither {prefix}train, train_labels, {prefix}test, test_labels "
            f"nor {prefix}embeddings and labels."
        )
    for number in range(0, len(found), 2):
        rows, given = map(np.atleast_1d, found[number : number + 2])
        if len(rows) != len(given):
            raise ValueError(f"there are {len(rows)} embeddings but {len(given)} labels; give each row one.")
    return found


def read_rows(file: Path, labels: Path | None = None) -> tuple[npt.NDArray[Any], npt.NDArray[Any] | None]:
    """The rows of an .npy or .csv file, and their labels where it or the label file has them."""
    if file.suffix not in (".npy", ".csv"):
        raise ValueError(f"{file} has the suffix {file.suffix!r}; pass embeddings as .npz, .npy, .csv or .safetensors.")
    rows, own = _read_csv(file) if file.suffix == ".csv" else (_read_npy(file), None)
    return rows, own if labels is None else _read_npy(labels)


def read_groups(file: Path, groups: str) -> npt.NDArray[Any]:
    """Which rows of a file belong together: an .npy file, or an array of the .npz file by its name.

    Of the array `path` it is the path without what follows the last underscore of its name: the clips `wren/a_0.ogg`
    and `wren/a_1.ogg` are of the recording `wren/a`.
    """
    if groups.endswith(".npy"):
        return _read_npy(Path(groups))
    file = _without_prefix(file)[0]
    found = _read_npz(file, lambda names: [groups] if groups in names else []) if file.suffix == ".npz" else {}
    if groups not in found:
        raise ValueError(
            f"groups is {groups!r}, which {file} has no array of; pass an .npy file with one for each row."
        )
    if groups != "path":
        return found[groups]
    paths = [PurePosixPath(str(path).replace("\\", "/")) for path in found[groups].ravel()]
    return np.array([str(path.with_name(path.name.rpartition("_")[0] or path.name)) for path in paths])


def _without_prefix(file: Path) -> tuple[Path, str]:
    if ".npz:" not in file.name:
        return file, ""
    name, prefix = file.name.rsplit(":", 1)
    return file.with_name(name), prefix + "_"


def _from_npz(file: Path, prefix: str, labels: Path | None) -> Split | Labelled | None:
    arrays = _read_npz(file, lambda names: _choose(names, prefix))
    if len(arrays) == 4:
        if labels is not None:
            raise ValueError(f"labels is {labels}, but {file} has labels for each of its parts; leave it out.")
        return Split(*arrays.values())
    rows = next(iter(arrays.values()), None)
    if rows is None:
        return None
    if labels is not None:
        return Labelled(rows, _read_npy(labels))
    if "path" in arrays:
        return Labelled(rows, _first_folders(arrays["path"], file))
    return Labelled(*arrays.values()) if len(arrays) == 2 else None


def _from_safetensors(file: Path, labels: Path | None) -> Labelled:
    tensors = TensorFile(file)
    for name in ("points", "labels"):
        if name not in tensors:
            raise ValueError(f"{file} has no {name}; write it with: hypertorus embed MODEL DATA --float --out {file}")
    return Labelled(tensors["points"], tensors["labels"] if labels is None else _read_npy(labels))


def _choose(names: list[str], prefix: str) -> list[str]:
    """Which arrays to read: rows and labels of two parts, or rows and labels or paths, or rows alone, or none."""
    train = _named(names, prefix, _TRAIN_NAMES)
    test = _named(names, prefix, _TEST_NAMES)
    if len(train) == len(test) == 2:
        return train + test
    whole = [prefix + name for name in _WHOLE_NAMES if prefix + name in names][:1]
    labels = [name for name in (prefix + "labels", "labels", "path") if name in names][:1]
    return whole + labels if whole else []


def _named(names: list[str], prefix: str, spellings: tuple[str, ...]) -> list[str]:
    """The first part among the spellings that is there with its labels."""
    for spelling in spellings:
        kind = spelling.removeprefix("x_").removesuffix("_images")
        own = f"y_{kind}" if spelling.startswith("x_") else f"{kind}_labels"
        labels = next((label for label in (prefix + own, own) if label in names), None)
        if prefix + spelling in names and labels:
            return [prefix + spelling, labels]
    return []


def _first_folders(paths: npt.NDArray[Any], file: Path) -> npt.NDArray[np.str_]:
    folders = []
    for path in map(str, paths.ravel()):
        parts = PurePosixPath(path.replace("\\", "/")).parts
        if len(parts) < 2:
            raise ValueError(
                f"{file} has the path {path!r}; without labels, a path begins with the folder of its label."
            )
        folders.append(parts[0])
    return np.array(folders)


def _read_npz(file: Path, choose: Callable[[list[str]], list[str]]) -> dict[str, npt.NDArray[Any]]:
    with _readable(file), file.open("rb") as opened, np.lib.npyio.NpzFile(opened, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in choose(arrays.files)}


def _read_npy(file: Path) -> npt.NDArray[Any]:
    with _readable(file), file.open("rb") as opened:
        return np.lib.format.read_array(opened, allow_pickle=False)


@contextmanager
def _readable(file: Path) -> Iterator[None]:
    try:
        yield
    except (ValueError, EOFError, BadZipFile, zlib.error) as error:
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
