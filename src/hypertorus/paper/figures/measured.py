"""Selects the rows of a table of results that can be drawn."""

from __future__ import annotations

from collections.abc import Iterable

from hypertorus.paper.experiments.table import OK, Row


def measured(rows: Iterable[Row], **values: str) -> list[Row]:
    """Return rows of successful runs with these values in these columns; it is an error if there are none."""
    values = {"status": OK, **values}
    kept = [row for row in rows if all(row[name] == value for name, value in values.items())]
    if not kept:
        raise ValueError("the table has no successful run to draw; run the experiment first.")
    return kept
