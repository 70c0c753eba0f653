"""The results of a grid: a tidy CSV file, a row for each run, quantiser and metric, whole at every moment."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hypertorus.paper.experiments.scales import Case
from hypertorus.search.atomic import replacing

CASE = ("data", "trained", "space", "dim", "koleo", "seed")
MEASURES = (
    "precision_at_1", "precision_at_k", "recall_at_k", "circular_variance", "entropy", "distinct", "bits_used",
    "bits_per_vector", "neighbour_recall", "epochs", "seconds",
)  # fmt: skip
COLUMNS = (*CASE, "quantiser", "metric", "status", *MEASURES)
"""`status` is ok, or why there are no measures; `seconds` are those of training."""
OK = "ok"

Row = dict[str, Any]
NUMBERS = {"dim": int, "koleo": float, "seed": int, **dict.fromkeys(MEASURES, float)}


class ResultTable:
    """Rows in a file. A case is there with all of its rows or with none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = list(_read(path)) if path.exists() else []
        self._cases = {case_of(row) for row in self.rows}

    def __contains__(self, case: Case) -> bool:
        return case in self._cases

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def add(self, case: Case, rows: Iterable[Row]) -> None:
        """Put the rows of a case into the file."""
        self.rows += [
            {**dict.fromkeys(COLUMNS, None), **{name: getattr(case, name) for name in CASE}, **row} for row in rows
        ]
        self._cases.add(case)
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _written(row[name]) for name in COLUMNS} for row in self.rows)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(self.path) as file:
            file.write(text.getvalue().encode())


def case_of(row: Row) -> Case:
    """The run that a row is of."""
    return Case(**{name: row[name] for name in CASE})


def _read(path: Path) -> Iterator[Row]:
    with path.open(newline="") as lines:
        reader = csv.DictReader(lines)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path} is not a table of results; its columns should be {', '.join(COLUMNS)}.")
        try:
            yield from ({name: _value(name, row[name]) for name in COLUMNS} for row in reader)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}, line {reader.line_num}: this is not a row of results ({error}).") from error


def _value(name: str, text: str) -> Any:
    if name not in NUMBERS:
        return text
    return NUMBERS[name](text) if text else None


def _written(value: Any) -> Any:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else value
