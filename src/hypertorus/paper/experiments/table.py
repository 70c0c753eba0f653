"""The results of a grid: a tidy CSV file with a row for each measurement of a run, written atomically."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypertorus.files.atomic import replacing
from hypertorus.paper.experiments.grid import Case

CASE = ("data", "trained", "space", "dim", "koleo", "seed")
OF_A_RUN = ("epochs", "seconds")
"""Columns of a run that all of its measurements share: its epochs, and the seconds of training."""
NUMBERS = {"dim": int, "koleo": float, "seed": int}
OK = "ok"

Row = dict[str, Any]


@dataclass(frozen=True)
class Columns:
    """Columns of a table besides the case: keys that identify a measurement, and measures, which may be missing."""

    keys: tuple[str, ...]
    measures: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all columns; `status` is ok, or says why there are no measures."""
        return (*CASE, *self.keys, "status", *self.measures, *OF_A_RUN)

    def value(self, name: str, text: str) -> Any:
        number = NUMBERS.get(name, float if name in (*self.measures, *OF_A_RUN) else None)
        if number is None:
            return text
        return number(text) if text else None


class ResultTable:
    """Rows of results in a file, which holds all rows of a case or none."""

    def __init__(self, path: Path, columns: Columns) -> None:
        self.path, self.columns = path, columns
        self.rows = list(_read(path, columns)) if path.exists() else []
        self._cases = {case_of(row) for row in self.rows}

    def __contains__(self, case: Case) -> bool:
        return case in self._cases

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def add(self, case: Case, rows: Iterable[Row]) -> None:
        """Add the rows of a case to the file."""
        names = self.columns.names
        self.rows += [{**dict.fromkeys(names), **{name: getattr(case, name) for name in CASE}, **row} for row in rows]
        self._cases.add(case)
        text = io.StringIO()
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _written(row[name]) for name in names} for row in self.rows)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(self.path) as file:
            file.write(text.getvalue().encode())


def case_of(row: Row) -> Case:
    """Return the case of a row."""
    return Case(**{name: row[name] for name in CASE})


def runs_of(rows: Iterable[Row]) -> list[Row]:
    """Return the first row of each run, which measures floats and is in every run."""
    first: dict[Case, Row] = {}
    for row in rows:
        first.setdefault(case_of(row), row)
    return list(first.values())


def header_of(path: Path) -> tuple[str, ...]:
    """Return the column names in the first line of a table."""
    with path.open(newline="") as lines:
        try:
            return tuple(next(csv.reader(lines), ()))
        except csv.Error as error:
            raise ValueError(f"{path} is not a table of results ({error}).") from error


def _read(path: Path, columns: Columns) -> Iterator[Row]:
    if header_of(path) != columns.names:
        raise ValueError(f"{path} is not a table of results; its columns should be {', '.join(columns.names)}.")
    with path.open(newline="") as lines:
        reader = csv.DictReader(lines)
        try:
            yield from ({name: columns.value(name, row[name]) for name in columns.names} for row in reader)
        except (TypeError, ValueError, csv.Error) as error:
            raise ValueError(f"{path}, line {reader.line_num}: this is not a row of results ({error}).") from error


def _written(value: Any) -> Any:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else value
