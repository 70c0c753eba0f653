"""The results of a grid: a tidy CSV file, a row for each measurement of a run, whole at every moment."""

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
"""What is known of a run, whatever is measured: its epochs, and the seconds of training."""
NUMBERS = {"dim": int, "koleo": float, "seed": int}
OK = "ok"

Row = dict[str, Any]


@dataclass(frozen=True)
class Columns:
    """What a table has beside the case: what tells measurements apart, and numbers, each of which may be missing."""

    keys: tuple[str, ...]
    measures: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """`status` is ok, or why there are no measures."""
        return (*CASE, *self.keys, "status", *self.measures, *OF_A_RUN)

    def value(self, name: str, text: str) -> Any:
        number = NUMBERS.get(name, float if name in (*self.measures, *OF_A_RUN) else None)
        if number is None:
            return text
        return number(text) if text else None


class ResultTable:
    """Rows in a file. A case is there with all of its rows or with none."""

    def __init__(self, path: Path, columns: Columns) -> None:
        self.path, self.columns = path, columns
        self.rows = list(_read(path, columns)) if path.exists() else []
        self._cases = {case_of(row) for row in self.rows}

    def __contains__(self, case: Case) -> bool:
        return case in self._cases

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def add(self, case: Case, rows: Iterable[Row]) -> None:
        """Put the rows of a case into the file."""
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
    """The run that a row is of."""
    return Case(**{name: row[name] for name in CASE})


def runs_of(rows: Iterable[Row]) -> list[Row]:
    """The first row of each run: what is measured first is the floats, which every run has."""
    first: dict[Case, Row] = {}
    for row in rows:
        first.setdefault(case_of(row), row)
    return list(first.values())


def header_of(path: Path) -> tuple[str, ...]:
    """The names in the first line of a table."""
    with path.open(newline="") as lines:
        return tuple(next(csv.reader(lines), ()))


def _read(path: Path, columns: Columns) -> Iterator[Row]:
    if header_of(path) != columns.names:
        raise ValueError(f"{path} is not a table of results; its columns should be {', '.join(columns.names)}.")
    with path.open(newline="") as lines:
        reader = csv.DictReader(lines)
        try:
            yield from ({name: columns.value(name, row[name]) for name in columns.names} for row in reader)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}, line {reader.line_num}: this is not a row of results ({error}).") from error


def _written(value: Any) -> Any:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else value
