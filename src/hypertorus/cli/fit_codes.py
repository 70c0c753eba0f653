"""`hypertorus fit-codes`: fit a coder to vectors that exist already, without labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from hypertorus.cli.options import AsJson, Force, folder_place
from hypertorus.files.console import plain_console
from hypertorus.files.progress import bar
from hypertorus.files.suffixes import SUFFIXES, listed

USES = ("search", "cells", "microcontroller")
"""The uses in `hypertorus.coders`, which needs numpy."""


def fit_codes(
    vectors: Annotated[
        str,
        typer.Argument(
            help=f"Vectors of any model, as {listed(SUFFIXES)}. FILE:NAME names one of several arrays.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder of the coder to write.", callback=folder_place, show_default=False)],
    size: Annotated[int, typer.Option("--bytes", help="Bytes of a code.")] = 64,
    use: Annotated[
        str,
        typer.Option(
            help=f"Use of the codes: {', '.join(USES)}. Search makes plain codes, which keep most neighbours; the "
            "others make torus codes."
        ),
    ] = "search",
    sizes: Annotated[
        str,
        typer.Option(
            help="Other sizes in bytes to fit and measure too, separated by commas, such as 16,32.", show_default="none"
        ),
    ] = "",
    compare: Annotated[
        bool, typer.Option(help="Also measure product quantisation, which takes minutes, where faiss is installed.")
    ] = True,
    steps: Annotated[int, typer.Option(help="Number of training steps.")] = 600,
    seed: Annotated[int, typer.Option(help="Random seed of the sample and of the fit.")] = 0,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Fit a coder, which makes codes of vectors so that they keep their nearest neighbours by cosine.

    Needs no labels. The file may be larger than memory: of more than 100,000 rows, fewer where they are wider than 671
    numbers, the coder is fitted to a random sample. Up to 1,000 rows are held out. The table shows the share of the 10
    nearest neighbours of these rows that codes find: of the coder, and of product quantisation at as many bytes (PQ,
    and OPQ with a rotation).

    Then encode and search with the coder, which needs neither torch nor faiss.

    Example: hypertorus fit-codes vectors.npy --bytes 64 --out coder/

    Example: hypertorus index build vectors.npy --coder coder/ --out base.index

    Example: hypertorus search base.index queries.npy --coder coder/
    """
    from hypertorus.coders.fit import Sample, check_size, kind_for, measured
    from hypertorus.coders.folder import CODER, is_coder
    from hypertorus.coders.recall import peers
    from hypertorus.coders.vectors import as_rows

    if is_coder(out) and not force:
        raise ValueError(f"--out is {out}, which already holds a coder; pass --force to replace it.")
    CODER.check_replaceable(out)  # before the work, not after it
    kind, rows = kind_for(use), as_rows(vectors)
    asked = sorted({size, *_sizes(sizes)})
    for each in asked:
        check_size(each, rows.shape[1], kind)
    sample = Sample.of(rows, seed)
    found: list[dict[str, Any]] = []
    for each in asked:
        with bar(f"fitting {each} bytes") as progress:
            coder = measured(sample, each, kind, steps=steps, seed=seed, progress=progress)
        if each == size:
            coder.save(out)
        others = peers(sample.base, sample.held_out, each) if compare else {}
        found.append({"bytes": each, "kind": kind, "recall": coder.facts["recall"], **others})
    if as_json:
        answer = {"coder": str(out), "rows": sample.rows, "held_out": len(sample.held_out), "recall_at_10": found}
        typer.echo(json.dumps(answer, indent=2))
        return
    plain_console().print(_table(found))
    typer.echo(f"recall@10 of {len(sample.held_out):,} rows held out, among {len(sample.base):,} others")
    typer.echo(f"{kind} coder of {size} bytes written to {out}")


def _sizes(text: str) -> list[int]:
    try:
        return [int(each) for each in text.split(",") if each.strip()]
    except ValueError as error:
        raise ValueError(f"--sizes is {text}; pass whole numbers separated by commas, such as 16,32.") from error


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table()
    names = ["bytes", rows[0]["kind"], *(name for name in ("PQ", "OPQ") if any(name in row for row in rows))]
    for name in names:
        table.add_column(name, justify="right")
    for row in rows:
        values = [row["recall"], *(row.get(name) for name in names[2:])]
        table.add_row(str(row["bytes"]), *("-" if value is None else f"{value:.3f}" for value in values))
    return table
