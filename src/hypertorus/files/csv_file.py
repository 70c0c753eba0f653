"""Comma-separated tables: columns of text by name, and all columns of numbers together as rows."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from hypertorus.files.column_names import ROWS, vector_columns
from hypertorus.files.rows import Array


def open_csv(path: Path) -> dict[str, Callable[[], Array]]:
    """Return readers of the columns of text by name, and of all columns of numbers together as `rows`."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        lines = list(csv.reader(file))
    if len(lines) < 2:
        raise ValueError("it has no rows: write a line of column names, and then a line for each row")
    header, body = lines[0], lines[1:]
    for number, line in enumerate(body, start=2):
        if len(line) != len(header):
            raise ValueError(f"line {number} has {len(line)} cells, and there are {len(header)} columns")
    columns = {name: np.array([line[place] for line in body], np.str_) for place, name in enumerate(header)}
    numbers = vector_columns(header)
    texts = {name: partial(np.asarray, column) for name, column in columns.items() if name not in numbers}

    def rows() -> Array:
        try:
            return np.stack([columns[name].astype(np.float64) for name in numbers], axis=1)
        except ValueError as error:
            raise ValueError(
                f"a cell is no number ({error}); text is read from columns such as label and path"
            ) from error

    return {**({ROWS: rows} if numbers else {}), **texts}
