"""Images or feature vectors with labels from an .npz, .npy or .csv file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from torch import Tensor

from hypertorus.data.data import Data
from hypertorus.data.inputs import as_inputs, as_labels
from hypertorus.data.part import InMemory
from hypertorus.data.recordings import recordings
from hypertorus.data.split import stratified
from hypertorus.evaluate.labelled import Split, read_labelled


def read_array_file(file: Path, labels: Path | None = None, test_share: float = 0.2, group: str | None = None) -> Data:
    """The parts that the file names, or of all its rows a share of each class set aside for testing.

    Where an .npz has the `path` of each row, rows of one recording stay together, see `recordings`.
    """
    found, place, name = read_labelled(file, labels), str(file), file.name.partition(".")[0]
    if isinstance(found, Split):
        _refuse_group(group, file)
        classes, numbers = as_labels(found.train_labels, found.test_labels, place=place)
        train, test = (
            InMemory(as_inputs(rows, place), part)
            for rows, part in zip((found.train, found.test), numbers, strict=True)
        )
        return Data(name, train, test, classes)
    classes, (own,) = as_labels(found.labels, place=place)
    everything = InMemory(as_inputs(found.rows, place), own, _groups(file, len(own), group))
    rest, aside = stratified(own, test_share, everything.groups)
    return Data(name, everything.take(rest), everything.take(aside), classes)


def _groups(file: Path, rows: int, group: str | None) -> Tensor | None:
    file = file.with_name(file.name.partition(".npz:")[0] + ".npz") if ".npz:" in file.name else file
    paths = None
    if file.suffix == ".npz":
        with np.load(file, allow_pickle=False) as arrays:
            paths = arrays["path"] if "path" in arrays.files else None
    if paths is None or paths.shape != (rows,):
        _refuse_group(group, file)
        return None
    return recordings(list(map(str, paths)), group)


def _refuse_group(group: str | None, file: Path) -> None:
    if group not in (None, "auto", "none"):
        raise ValueError(f"group is {group!r}, but {file} has no `path` for each of its rows to split; leave it out.")
