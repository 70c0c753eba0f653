"""`hypertorus search`: the nearest codes of an index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer
from rich.console import Console
from rich.table import Table

from hypertorus._progress import bar
from hypertorus.cli.arrays import pieces, read_array, write_arrays
from hypertorus.cli.index import AsJson, IndexFile, SpaceName
from hypertorus.search import Index, Neighbours

_SHOWN = 20


def search(
    index_file: IndexFile,
    queries: Annotated[
        str, typer.Argument(help="Integer codes, or raw numbers with --space, in .npy or .safetensors[:NAME].")
    ],
    k: Annotated[int, typer.Option("--k", "-k", help="How many neighbours.")] = 10,
    space: SpaceName = None,
    where: Annotated[str | None, typer.Option(help="A file with the ids to look among.")] = None,
    threads: Annotated[int | None, typer.Option(help="How many threads; all cores unless given.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write ids and distances to this .npz or .safetensors.")] = None,
    verify: Annotated[bool, typer.Option(help="First check all of the index against its checksums.")] = True,
    as_json: AsJson = False,
) -> None:
    """Find the k nearest codes of each query, exactly; ties go to the lower id.

    Example: hypertorus search index.safetensors queries.npy --space torusN -k 5 --out found.npz
    """
    index = Index.open(index_file, verify=verify)
    array = read_array(queries, "queries")
    among = None if where is None else read_array(where, "ids")
    parts: list[Neighbours] = []
    for piece in pieces(array, space, queries):
        with bar("searching") as progress:
            parts.append(index.search(piece, k, among, threads, progress))
    if not parts:
        raise ValueError(f"{queries} has shape {array.shape}, which is empty; pass at least one query.")
    found = Neighbours(*map(np.concatenate, zip(*parts, strict=True)))
    if out is not None:
        write_arrays(out, found._asdict())
    if as_json:
        typer.echo(json.dumps(as_lists(index, found)))
    elif out is None:
        Console().print(table(index, found))
    else:
        typer.echo(f"{len(found.ids)} x {k} neighbours written to {out}")


def as_lists(index: Index, found: Neighbours) -> dict[str, list[list[Any]]]:
    """The neighbours there are, with their labels if they have any."""
    there = found.ids >= 0
    columns: dict[str, npt.NDArray[Any]] = {"ids": found.ids, "distances": found.distances}
    if index.has_labels:
        labels = index.labels_of(found.ids[there])
        columns["labels"] = np.zeros(found.ids.shape, labels.dtype)
        columns["labels"][there] = labels
    return {name: [row[mask].tolist() for row, mask in zip(rows, there, strict=True)] for name, rows in columns.items()}


def table(index: Index, found: Neighbours) -> Table:
    """The first neighbours of the first queries, for the screen."""
    first = as_lists(index, Neighbours(found.ids[:_SHOWN], found.distances[:_SHOWN]))
    more = len(found.ids) - _SHOWN
    shown = Table(caption=f"and {more:,} more; --out or --json has all" if more > 0 else None)
    for name in ("query", *first):
        shown.add_column(name, justify="right" if name == "query" else "left")
    for row in range(len(first["ids"])):
        shown.add_row(str(row), *(", ".join(map(str, column[row])) for column in first.values()))
    return shown
