"""`hypertorus spaces`: prints the paper's first table for any dimension."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from hypertorus.cli.options import AsJson
from hypertorus.files.console import plain_console

if TYPE_CHECKING:
    from hypertorus.spaces.facts import SpaceFacts


def spaces(
    dim: Annotated[int, typer.Option(help="Number of raw numbers in the output of the network.")] = 64,
    as_json: AsJson = False,
) -> None:
    """Show the three spaces: the size of a point and of its turns, the intrinsic dimension and the largest distances.

    Example: hypertorus spaces --dim 128
    """
    from hypertorus.spaces.facts import space_facts

    rows = space_facts(dim)
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows], indent=2))
    else:
        plain_console().print(table(rows))


def table(rows: list[SpaceFacts]) -> Table:
    """The facts as a table for the screen."""
    shown = Table(title=f"The spaces of {rows[0].raw} raw numbers", title_justify="left")
    shown.add_column("space")
    for column in ("raw", "point", "turns", "free"):
        shown.add_column(column, justify="right")
    shown.add_column("largest distance", no_wrap=True)
    for row in rows:
        shown.add_row(*row.cells)
    return shown
