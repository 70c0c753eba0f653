"""`hypertorus spaces`: prints the paper's first table for any dimension."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hypertorus.cli.options import AsJson
from hypertorus.spaces import SPACES, Space, Torus, space


def spaces(
    dim: Annotated[int, typer.Option(help="Number of raw numbers in the output of the network.")] = 64,
    as_json: AsJson = False,
) -> None:
    """Show the three spaces: the size of a point and of its turns, the intrinsic dimension and the largest distances.

    Example: hypertorus spaces --dim 128
    """
    rows = [facts(space(name, dim)) for name in SPACES]
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
    else:
        Console().print(table(rows))


def facts(space: Space) -> dict[str, Any]:
    """Return the row of a space in the paper's first table."""
    return {
        "space": space.name,
        "raw": space.dim,
        "point": space.ambient_dim,
        "turns": space.flat_dim if isinstance(space, Torus) else None,
        "intrinsic": space.intrinsic_dim,
        "diameters": space.diameters,
    }


def table(rows: list[dict[str, Any]]) -> Table:
    """The facts as a table for the screen."""
    shown = Table(title=f"The spaces of {rows[0]['raw']} raw numbers", title_justify="left")
    shown.add_column("space")
    for column in ("raw", "point", "turns", "free"):
        shown.add_column(column, justify="right")
    shown.add_column("largest distance", no_wrap=True)
    for row in rows:
        widest = ", ".join(f"{metric} {value:g}" for metric, value in row["diameters"].items())
        numbers = (str(row[key] or "-") for key in ("raw", "point", "turns", "intrinsic"))
        shown.add_row(row["space"], *numbers, widest)
    return shown
