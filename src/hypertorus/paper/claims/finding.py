"""What a table of results says of a claim: differences between runs that are alike but for one thing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hypertorus.paper.experiments.table import CASE, OK, Row

HOLDS, FAILS, OPEN = "holds", "does not hold", "cannot be told here"
CLOSE = 0.02
"""A difference of precision at 1 that we call small."""
KEY = (*CASE, "quantiser", "metric", "test", "shots", "ways")
"""What tells rows apart, in tables of any experiment."""


@dataclass(frozen=True)
class Finding:
    """A claim in our words, what was measured, and what that says."""

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
        """A verdict on the mean being above a number."""
        if len(self.values) < 2:
            return OPEN
        return HOLDS if self.mean - self.error > least else FAILS if self.mean + self.error < least else OPEN

    def within(self, margin: float = CLOSE) -> str:
        """A verdict on the mean being 0, give or take a margin."""
        if len(self.values) < 2:
            return OPEN
        far = abs(self.mean)
        return HOLDS if far + self.error <= margin else FAILS if far - self.error > margin else OPEN


def compare(rows: Iterable[Row], column: str, one: Any, other: Any, measure: str = "precision_at_1") -> Gaps:
    """The measure of one minus that of the other, over pairs of rows that are alike in all but that column."""
    pairs: dict[tuple[Any, ...], dict[Any, float]] = defaultdict(dict)
    for row in rows:
        if row[column] in (one, other) and row[measure] is not None:
            pairs[tuple(row.get(name) for name in KEY if name != column)][row[column]] = row[measure]
    return Gaps(tuple(found[one] - found[other] for found in pairs.values() if len(found) == 2))


def listed(gaps: Mapping[str, Gaps]) -> str:
    """Several comparisons by name, for a cell of a table."""
    return "; ".join(f"{name} {each}" for name, each in gaps.items())


def where(rows: Iterable[Row], **wanted: Any) -> list[Row]:
    """Rows that were measured, with these values; unless it is asked for, codes compared by cosine alone."""
    wanted = {"status": OK, "metric": "cosine", **wanted}
    return [row for row in rows if all(row.get(name, value) == value for name, value in wanted.items())]


def mean(rows: Iterable[Row], measure: str = "precision_at_1") -> float:
    values = [row[measure] for row in rows]
    return float(np.mean(values)) if values else float("nan")


def values_of(rows: Iterable[Row], column: str) -> list[Any]:
    return sorted({row[column] for row in rows})


def all_of(*verdicts: str) -> str:
    """A claim of several parts holds where all hold, and fails where one fails."""
    return next((verdict for verdict in (FAILS, OPEN) if verdict in verdicts), HOLDS if verdicts else OPEN)
