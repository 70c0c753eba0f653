"""Reads images or vectors from files of arrays: plain ones, or embeddings as `hypertorus embed` writes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from hypertorus.datasets.data import Data
from hypertorus.datasets.inputs import as_inputs
from hypertorus.datasets.part import UNKNOWN, InMemory
from hypertorus.embeddings.read import class_numbers, labelled_record, table_of
from hypertorus.embeddings.recordings import recordings
from hypertorus.embeddings.split import stratified
from hypertorus.embeddings.table import Table, read_table


def read_array_file(source: str, labels: Path | None = None, test_share: float = 0.2, group: str | None = None) -> Data:
    """Return the training and test part of a file; if it has none, a share of each class is set aside for testing.

    If the file has groups, or the path of each row, rows of one recording stay together, see `recordings`.
    """
    part, classes, split = _read(source, labels, group)
    if not classes or bool((part.labels == UNKNOWN).all()):
        raise ValueError(
            f"{source} has no labels; pass them with --labels FILE, an .npy or a .txt with one for each row, or save "
            "them as the array `labels` (or `y`) beside the rows."
        )
    if split is None:
        rest, aside = stratified(part.labels, test_share, part.groups)
    else:
        if group not in (None, "auto", "none"):
            raise ValueError(f"--group is {group}, but {source} has a training and a test part; leave it out.")
        rest, aside = np.flatnonzero(split == "train"), np.flatnonzero(split == "test")
    return Data(Path(source).name.partition(".")[0], part.take(rest), part.take(aside), classes, group=group)


def read_array_rows(source: str) -> InMemory:
    """Return all rows of a file, with or without labels."""
    return _read(source, None, None)[0]


def _read(source: str, labels: Path | None, group: str | None) -> tuple[InMemory, tuple[str, ...], np.ndarray | None]:
    """Return all rows as a part, the classes, and the name of each row's part if the file has parts."""
    record = labelled_record(source, labels)
    table = read_table(source, labels) if record is None else table_of(record)
    inputs = as_inputs(np.asarray(table.rows.whole()), source)
    classes: tuple[str, ...] = ()
    numbers = np.full(len(inputs), UNKNOWN)
    if record is not None and record.labels is not None:
        classes, numbers = record.classes, record.labels
    elif table.labels is not None:
        classes, numbers = class_numbers(table.labels, source)
    part = InMemory(
        inputs,
        torch.from_numpy(np.array(numbers, np.int64)),
        _groups(table, group, source),
        names=table.names,
        starts=table.starts,
        places=torch.arange(len(inputs)),
    )
    part.classes = classes
    split = table.parts
    return part, classes, split if split is not None and {"train", "test"} <= set(split.tolist()) else None


def _groups(table: Table, group: str | None, source: str) -> torch.Tensor | None:
    numbers = None
    if table.groups is not None and group in (None, "auto"):
        numbers = np.unique(table.groups, return_inverse=True)[1]
    elif table.names is not None and table.paths:
        numbers = recordings(table.names.tolist(), group)
    elif group not in (None, "auto", "none"):
        raise ValueError(f"--group is {group}, but {source} has no `path` for each of its rows to split; leave it out.")
    return None if numbers is None else torch.from_numpy(numbers.astype(np.int64))
