"""`hypertorus bench engines`: search engines beside each other on the same codes."""

from __future__ import annotations

import json
import shlex
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from hypertorus.cli.options import AsJson, Csv, Metric
from hypertorus.cli.rows import write_csv
from hypertorus.files.console import plain_console
from hypertorus.files.progress import bar

if TYPE_CHECKING:
    from hypertorus.bench.engines import Measured

RECALL = 0.99


def engines(
    engine: Annotated[
        list[str] | None, typer.Option(help="Engine to measure, once or more.", show_default="all that are installed")
    ] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(help="Kind of codes, once or more: trained, clustered or uniform.", show_default="all three"),
    ] = None,
    count: Annotated[int, typer.Option(help="Number of codes to search.", min=100)] = 20_000,
    dim: Annotated[int, typer.Option(help="Coordinates of a code, a byte each.", min=1)] = 64,
    metric: Metric = "cosine",
    builders: Annotated[
        int | None, typer.Option(help="Threads that build; one searches.", min=1, show_default="all cores")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Also draw the engines to this .png or .svg file.", show_default=False)
    ] = None,
    earlier: Annotated[
        Path | None,
        typer.Option("--from", help="Show this record, as --json printed it, and measure nothing.", show_default=False),
    ] = None,
    as_json: AsJson = False,
    to_csv: Csv = None,
) -> None:
    """Measure the recall and speed of search engines on the same codes, the time they take to build, and their bytes.

    Codes are of a trained model, in clusters, or uniform; the model is trained when it is first needed, and kept in the
    cache. Recall is by distance: the share of the 10 neighbours found that are no further than the true tenth. Seconds
    are processor time, so other programs disturb little. The table has the fastest setting of each engine with a recall
    of 0.99, or its best; --json, --csv and --plot have all.

    Example: hypertorus bench engines --count 100000 --plot engines.png
    """
    from hypertorus.bench.engines import Comparison, measure
    from hypertorus.bench.record import record

    if plot:
        import hypertorus.report  # noqa: F401 (says now, not after the measuring, that matplotlib is missing)
    if earlier:
        found = Comparison.of_record(earlier)
    else:
        names, kinds = _engines(engine), _kinds(data)
        with bar("measuring") as progress:
            found = measure(names, kinds, count=count, dim=dim, metric=metric, builders=builders, progress=progress)
    if as_json:
        typer.echo(json.dumps(record(shlex.join(["hypertorus", *sys.argv[1:]]), found.as_dict()), indent=2))
    else:
        for kind, own in groupby(found.engines, key=lambda measured: measured.data):
            plain_console().print(_table(f"{kind} codes: {found.title}", list(own), found.count))
        typer.echo(_LEGEND)
    if to_csv:
        write_csv(to_csv, [row for measured in found.engines for row in measured.rows()])
    if plot:
        from hypertorus.bench.figure import plot as draw

        draw(found, plot)


_LEGEND = (
    f"effort: of the fastest search with a recall of {RECALL}, or else of the best. single, batch: queries per second "
    "of one\ncore, one at a time or 256 at once. build: seconds of one core. bytes: size of the saved engine a code."
)


def _engines(names: list[str] | None) -> list[str]:
    from hypertorus.engines import ENGINES, installed
    from hypertorus.engines import engine as find

    if names:
        for name in names:
            find(name)
        return list(dict.fromkeys(names))
    there = installed()
    for name in set(ENGINES) - set(there):
        typer.echo(f"{name} is skipped: it needs pip install 'hypertorus[engines]'.", err=True)
    return there


def _kinds(names: list[str] | None) -> list[str]:
    from hypertorus.bench.data import KINDS, missing

    if unknown := set(names or ()) - set(KINDS):
        raise ValueError(f"--data is {min(unknown)!r}; choose one of {', '.join(KINDS)}.")
    if names:
        return [kind for kind in KINDS if kind in names]
    if extra := missing("trained"):
        typer.echo(f"trained codes are skipped: they need pip install 'hypertorus[{extra}]'.", err=True)
    return [kind for kind in KINDS if not missing(kind)]


def _table(title: str, results: list[Measured], count: int) -> Table:
    shown = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    shown.add_column("engine", no_wrap=True)
    for column in ("effort", "recall@10", "single", "batch", "build", "bytes"):
        shown.add_column(column, justify="right")
    for result in results:
        best = result.good(RECALL)
        shown.add_row(
            result.engine,
            "exact" if best.effort is None else f"{best.effort:,}",
            f"{best.recall:.3f}",
            f"{best.single:,.0f}",
            f"{best.batch:,.0f}",
            f"{result.build_seconds:.2f}",
            f"{result.bytes / count:.0f}",
        )
    return shown
