"""Findings on claims: differences between runs that differ in one setting only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hypertorus.paper.experiments.table import CASE, OK, Row

HOLDS, FAILS, OPEN = "holds", "does not hold", "cannot be told here"
CLOSE = 0.02
"""Difference of precision at 1 that counts as small."""
KEY = (*CASE, "quantiser", "metric", "test", "shots", "ways")
"""Columns that identify a row, in tables of any experiment."""


@dataclass(frozen=True)
class Finding:
    """A claim, the measurement and the verdict."""

    claim: str
    measured: str
    verdict: str


@dataclass(frozen=True)
class Gaps:
    """Differences of a measure between pairs of runs."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        return float(np.mean(self.values))

    @property
    def error(self) -> float:
        """Twice the standard error of the mean."""
        return 2 * float(np.std(self.values, ddof=1) / np.sqrt(len(self.values)))

    def __str__(self) -> str:
        if len(self.values) < 2:
            return "too few runs to compare"
        return f"{self.mean:+.3f} ± {self.error:.3f} ({len(self.values)} pairs)"

    def above(self, least: float = 0.0) -> str:
        """Return the verdict on the mean being above a number."""
        if len(self.values) < 2:
            return OPEN
        return HOLDS if self.mean - self.error > least else FAILS if self.mean + self.error < least else OPEN

    def within(self, margin: float = CLOSE) -> str:
        """Return the verdict on the mean being 0 within a margin."""
        if len(self.values) < 2:
            return OPEN
        far = abs(self.mean)
        return HOLDS if far + self.error <= margin else FAILS if far - self.error > margin else OPEN


def compare(rows: Iterable[Row], column: str, one: Any, other: Any, measure: str = "precision_at_1") -> Gaps:
    """Return the measure of one value minus that of the other, over pairs of rows that differ only in that column."""
    pairs: dict[tuple[Any, ...], dict[Any, float]] = defaultdict(dict)
    for row in rows:
        if row[column] in (one, other) and row[measure] is not None:
            pairs[tuple(row.get(name) for name in KEY if name != column)][row[column]] = row[measure]
    return Gaps(tuple(pair[one] - pair[other] for pair in pairs.values() if len(pair) == 2))


def listed(gaps: Mapping[str, Gaps]) -> str:
    """Return several comparisons by name, for a cell of a table."""
    return "; ".join(f"{name} {each}" for name, each in gaps.items())


def where(rows: Iterable[Row], **values: Any) -> list[Row]:
    """Return the measured rows with these values; the metric is the cosine unless it is given."""
    values = {"status": OK, "metric": "cosine", **values}
    return [row for row in rows if all(row.get(name, value) == value for name, value in values.items())]


def mean(rows: Iterable[Row], measure: str = "precision_at_1") -> float:
    values = [row[measure] for row in rows]
    return float(np.mean(values)) if values else float("nan")


def values_of(rows: Iterable[Row], column: str) -> list[Any]:
    return sorted({row[column] for row in rows})


def all_of(*verdicts: str) -> str:
    """Return the verdict on a claim of several parts: it holds if all hold, and fails if one fails."""
    return next((verdict for verdict in (FAILS, OPEN) if verdict in verdicts), HOLDS if verdicts else OPEN)
