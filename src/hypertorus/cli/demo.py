"""`hypertorus demo`: a tour of the library on small data sets, with a page of the results."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from hypertorus.cli import paper
from hypertorus.cli.spaces import table
from hypertorus.files.console import plain_console


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the page and its figures.")] = Path("demo"),
    only: Annotated[str, typer.Option(help="Train only the runs with all of these words, such as seed0.")] = "",
) -> None:
    """Show the spaces, search a hundred thousand codes, train the paper's grids on digits and chirps, and write a page.

    It takes a few minutes; the same command resumes it if it was stopped.

    Example: hypertorus demo --out build/demo
    """
    from hypertorus.spaces.facts import space_facts

    console = plain_console()
    console.print(table(space_facts(64)))
    console.print(distances())
    console.print(search_speed())
    for experiment in ("images", "birdsong"):
        paper.run(experiment, scale="demo", out=out, only=only)
    paper.report(scale="demo", out=out)


def distances() -> Table:
    """Return a table of distances on one circle, the last of them across its edge."""
    import numpy as np

    from hypertorus.spaces import TorusN

    torus = TorusN(2)
    shown = Table(title="From turn 0.95, on one circle", title_justify="left")
    shown.add_column("to turn", justify="right")
    for metric in torus.metrics:
        shown.add_column(metric, justify="right")
    for turn in (0.95, 0.90, 0.45, 0.05):
        start, end = np.array([0.95]), np.array([turn])
        shown.add_row(f"{turn:.2f}", *(f"{torus.distance(start, end, metric):.4f}" for metric in torus.metrics))
    return shown


def search_speed(n: int = 100_000, dim: int = 64) -> Table:
    """Return a table of the size, speed and accuracy of a search in clustered embeddings, by bits per coordinate."""
    import numpy as np

    from hypertorus.search import Index
    from hypertorus.spaces import TorusN

    torus = TorusN(dim)
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 1000, n + 200)
    turns = torus.turns(rng.normal(size=(1000, dim))[classes] + 0.7 * rng.normal(size=(n + 200, dim)))
    shown = Table(title=f"The nearest of {n:,} codes, 200 queries", title_justify="left")
    for column in ("bits", "bytes a code", "queries/s", "same class"):
        shown.add_column(column, justify="right")
    for bits in (8, 4, 2, 1):
        index = Index(torus.flat_dim, bits=bits)
        index.add(turns[:n])
        start = time.perf_counter()
        ids, _ = index.search(turns[n:], k=1)
        rate = 200 / (time.perf_counter() - start)
        right = (classes[ids[:, 0]] == classes[n:]).mean()
        shown.add_row(str(bits), str(torus.flat_dim * bits // 8), f"{rate:,.0f}", f"{right:.1%}")
    return shown
