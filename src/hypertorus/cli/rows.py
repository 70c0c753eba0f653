"""Prints rows of measures as a table or as JSON, and writes them as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import typer
from rich.table import Table

from hypertorus.files.console import plain_console


class Row(Protocol):
    """A row of measures."""

    def as_dict(self) -> dict[str, Any]: ...


def show_rows(rows: Sequence[Row], table: Table, *, as_json: bool, to_csv: Path | None, footer: str = "") -> None:
    """Print the rows as JSON, or else the table and a line below it; also write them to a .csv file if it is given."""
    cells = [row.as_dict() for row in rows]
    if as_json:
        typer.echo(json.dumps(cells, indent=2))
    else:
        plain_console().print(table)
        if footer:
            typer.echo(footer)
    if to_csv:
        write_csv(to_csv, cells)


def write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows to a .csv file; the keys of the first row are the columns."""
    from hypertorus.files.atomic import replacing

    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    with replacing(path) as file:
        file.write(text.getvalue().encode())
