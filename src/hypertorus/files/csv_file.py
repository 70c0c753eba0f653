"""Comma-separated tables: columns of text by name, and all columns of numbers together as rows."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from hypertorus.files.column_names import ROWS, vector_columns
from hypertorus.files.rows import Array


def csv_rows(path: Path, *, tabs: bool = False, even: bool = True) -> list[list[str]]:
    """Return the cells of each row, the column names first; all rows have as many cells as there are columns.

    With `tabs`, cells are divided by tabs and nothing is quoted. Without `even`, rows may differ in their cells.
    """
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if tabs else csv.reader(file)
        rows: list[list[str]] = []
        try:
            for row in filter(None, reader):  # a line without anything is no row
                if even and rows and len(row) != len(rows[0]):
                    _refuse(reader.line_num, f"has {len(row)} cells, and there are {len(rows[0])} columns")
                rows.append(row)
        except csv.Error as error:
            raise ValueError(f"line {reader.line_num} is not a row of a table: {error}") from error
    return rows or [[]]


def _refuse(line: int, reason: str) -> None:
    raise ValueError(f"line {line} {reason}")


def open_csv(path: Path) -> dict[str, Callable[[], Array]]:
    """Return readers of the columns of text by name, and of all columns of numbers together as `rows`."""
    header, *body = csv_rows(path)
    if not body:
        raise ValueError("it has no rows: write a line of column names, and then a line for each row")
    columns = {name: np.array([line[place] for line in body], np.str_) for place, name in enumerate(header)}
    numbers = vector_columns(header)
    texts = {name: partial(np.asarray, column) for name, column in columns.items() if name not in numbers}

    def rows() -> Array:
        try:
            return np.stack([columns[name].astype(np.float64) for name in numbers], axis=1)
        except ValueError as error:
            raise ValueError(
                f"a cell is no number ({error}); text is read from columns such as text, label and path"
            ) from error

    return {**({ROWS: rows} if numbers else {}), **texts}
