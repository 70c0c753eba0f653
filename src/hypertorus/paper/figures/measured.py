"""The rows of a table of results that can be drawn."""

from __future__ import annotations

from collections.abc import Iterable

from hypertorus.paper.experiments.table import OK, Row


def measured(rows: Iterable[Row], **wanted: str) -> list[Row]:
    """Rows of runs that went well, with these values in these columns; an error if there are none."""
    wanted = {"status": OK, **wanted}
    kept = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    if not kept:
        raise ValueError("The table has no run that went well; there is nothing to draw.")
    return kept
