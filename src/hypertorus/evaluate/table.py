"""Rows of numbers as a table for the screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.table import Table

from hypertorus.evaluate.evaluate import Row

COLUMNS = {
    "space": "space",
    "dim": "dim",
    "quantiser": "quantiser",
    "bits_per_vector": "bits",
    "precision_at_1": "P@1",
    "precision_at_k": "P@{k}",
    "recall_at_k": "R@{k}",
    "r_precision": "R-prec.",
    "map_at_r": "MAP@R",
    "circular_variance": "circ. var.",
    "entropy": "entropy",
    "distinct": "distinct",
    "neighbour_recall": "same {k} as floats",
    "rank_agreement": "same order",
}


def table(rows: Iterable[Row]) -> Table:
    """The rows side by side; columns that no row has are left out.

    P@k and R@k are precision and recall among k neighbours; the last two say how many of the float neighbours the
    codes find, and how far in the same order (Kendall's tau).
    """
    rows = list(rows)
    shown = Table()
    used = [name for name in COLUMNS if any(getattr(row, name) is not None for row in rows)]
    for name in used:
        left = name in ("space", "quantiser")
        shown.add_column(COLUMNS[name].format(k=rows[0].k if rows else "k"), justify="left" if left else "right")
    for row in rows:
        shown.add_row(*(_cell(getattr(row, name)) for name in used))
    return shown


def _cell(value: Any) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
