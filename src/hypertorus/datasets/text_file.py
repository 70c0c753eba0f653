"""Reads texts from a .csv, .tsv or .jsonl with the columns text and label, or anchor and positive; or lines of a .txt.

A row of `anchor` and `positive` is a pair: two texts that mean the same, or a question and its answer. Each pair is a
class of two. Of the pairs that are set aside, the anchors are the test part and their positives stay: the test is to
find the positive of each among all texts. A pair that shares a text with an earlier one is left out: the same text in
two classes could only be found in the wrong one.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from hypertorus.datasets.data import Data
from hypertorus.datasets.inputs import as_labels
from hypertorus.datasets.kinds import LABEL, PAIR, TEXT
from hypertorus.datasets.part import Columns
from hypertorus.datasets.texts import Texts, as_names, checked
from hypertorus.embeddings.part_names import TEST_NAMES, TRAIN_NAME
from hypertorus.embeddings.split import one_of_pairs, stratified
from hypertorus.files.csv_file import csv_rows

Rows = dict[str, list[str]]
"""The cells of each column."""


def read_texts(file: Path, test_share: float = 0.2) -> Data:
    """Return texts with labels, or pairs of texts; a column `part` of train and test splits them, if there is one."""
    columns = _columns(file)
    if set(PAIR) <= columns.keys():
        return _pairs(file, columns, test_share)
    if LABEL not in columns:
        raise ValueError(
            f"{file} has the columns {', '.join(columns)}; training needs the columns text and label, or anchor and "
            "positive."
        )
    everything = _labelled(file, columns)
    parts = np.array(columns.get("part", columns.get("split", [])))
    if parts.size:
        train, test = np.flatnonzero(parts == TRAIN_NAME), np.flatnonzero(np.isin(parts, TEST_NAMES))
    else:
        train, test = stratified(everything.labels, test_share, everything.groups)
    return Data(file.stem, everything.take(train), everything.take(test), everything.classes)


def read_plain_texts(file: Path) -> Texts:
    """Return every text of a file, without labels: of pairs, all anchors and then all positives."""
    columns = _columns(file)
    named = [name for name in (TEXT, *PAIR) if name in columns]
    return Texts.of([text for name in named for text in columns[name]])


def has_labels(file: Path) -> bool:
    """Return whether a file of texts has labels or pairs."""
    columns = _columns(file).keys()
    return LABEL in columns or set(PAIR) <= columns


def _labelled(file: Path, columns: Rows) -> Texts:
    content = checked(columns[TEXT], str(file), first=1)
    labels = np.array(columns[LABEL], np.str_)
    if (empty := np.flatnonzero(labels == "")).size:
        raise ValueError(f"row {empty[0] + 1} of {file} has no label; fill it or remove the row.")
    classes, (numbers,) = as_labels(labels, place=str(file))
    groups: npt.NDArray[Any] | None = None
    if "group" in columns:
        groups = np.unique(columns["group"], return_inverse=True)[1]
    part = Texts(
        content,
        Columns(
            numbers,
            None if groups is None else torch.from_numpy(groups.astype(np.int64)),
            names=as_names(content),
            places=torch.arange(len(content)),
        ),
    )
    part.classes = classes
    return part


def _pairs(file: Path, columns: Rows, test_share: float) -> Data:
    anchors, positives = (checked(columns[name], str(file), first=1) for name in PAIR)
    own = _without_repeats(anchors, positives)
    if len(own) < 4:
        raise ValueError(
            f"{file} has {len(own)} pairs of different texts; pass at least 4, some to train on and one to test."
        )
    if len(own) < len(anchors):
        warnings.warn(
            f"{len(anchors) - len(own)} of {len(anchors)} pairs of {file} were left out, because an earlier pair has "
            "one of their texts; to use them, give texts that belong together one label, in columns text and label.",
            stacklevel=4,
        )
    content, count = np.concatenate([anchors[own], positives[own]]), len(own)
    labels = torch.arange(count).repeat(2)
    everything = Texts(content, Columns(labels, names=as_names(content), places=torch.arange(2 * count)))
    train, test = one_of_pairs(labels, test_share)
    classes = tuple(str(number) for number in range(1, count + 1))
    return Data(file.stem, everything.take(train), everything.take(test), classes)


def _without_repeats(anchors: npt.NDArray[Any], positives: npt.NDArray[Any]) -> list[int]:
    """Return the rows of the pairs of which no earlier one has a text."""
    seen: set[str] = set()
    own = []
    for row, pair in enumerate(zip(anchors, positives, strict=True)):
        if seen.isdisjoint(pair):
            own.append(row)
            seen.update(pair)
    return own


def _columns(file: Path) -> Rows:
    try:
        columns = _read(file)
    except (ValueError, OSError) as error:
        if isinstance(error, OSError) and not isinstance(error, UnicodeError):
            raise
        fix = "write it as UTF-8 again" if isinstance(error, UnicodeError) else "fix it or write it again"
        raise ValueError(f"{file} is no readable file of texts ({error}); {fix}.") from error
    if not any(columns.values()):
        raise ValueError(f"{file} has no rows; write at least one text.")
    return columns


def _read(file: Path) -> Rows:
    if file.suffix == ".txt":
        return {TEXT: [line for line in file.read_text("utf-8-sig").splitlines() if line.strip()]}
    if file.suffix == ".jsonl":
        return _json_lines(file)
    header, *body = csv_rows(file, tabs=file.suffix == ".tsv")
    return {name.strip().lower(): [row[place] for row in body] for place, name in enumerate(header)}


def _json_lines(file: Path) -> Rows:
    lines = [line for line in file.read_text("utf-8-sig").splitlines() if line.strip()]
    rows: list[dict[str, str]] = []
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise ValueError(f"row {number} is not JSON: {error}") from error
        if not isinstance(row, dict) or (rows and row.keys() != rows[0].keys()):
            raise ValueError(f"row {number} is not an object with the names of the first row")
        rows.append({name: value if isinstance(value, str) else str(value) for name, value in row.items()})
    return {name.lower(): [row[name] for row in rows] for name in (rows[0] if rows else ())}
