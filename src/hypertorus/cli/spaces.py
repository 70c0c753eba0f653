"""`hypertorus spaces`: the paper's first table for any dimension."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from hypertorus.spaces import Space


def spaces(
    dim: Annotated[int, typer.Option(help="How many raw numbers the network puts out.")] = 64,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
) -> None:
    """Show the three spaces: how many numbers a point and its turns have, how many of them are free, how far it goes.

    Example: hypertorus spaces --dim 128
    """
    from hypertorus.spaces import SPACES, space

    rows = [facts(space(name, dim)) for name in SPACES]
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
    else:
        Console().print(table(rows))


def facts(space: Space) -> dict[str, Any]:
    """What the paper's first table says of a space."""
    from hypertorus.spaces import Torus

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
