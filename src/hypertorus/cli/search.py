"""`hypertorus search`: the nearest codes of an index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hypertorus.cli.index import AsJson, SpaceName, Vectors, pieces, read_vectors
from hypertorus.files.progress import bar

if TYPE_CHECKING:
    from hypertorus.search import Index, Neighbours

SHOWN = 20
"""How many queries are shown on the screen."""


def search(
    index: Annotated[Path, typer.Argument(help="The file of an index.", show_default=False)],
    queries: Vectors,
    k: Annotated[int, typer.Option("--k", "-k", help="Number of neighbours.")] = 10,
    space: SpaceName = None,
    where: Annotated[
        str | None, typer.Option(help="File with the ids to search among.", show_default="all ids")
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Number of threads.", show_default="all cores")] = None,
    out: Annotated[Path | None, typer.Option(help="Write ids and distances to this .npz or .safetensors file.")] = None,
    verify: Annotated[bool, typer.Option(help="First check all of the index against its checksums.")] = True,
    as_json: AsJson = False,
) -> None:
    """Find the k nearest codes of each query, exactly.

    Distances are whole numbers; ties go to the lower id. Queries of another model than that of the index are refused.
    To search recordings by a sound, see `hypertorus sounds search`.

    Example: hypertorus search digits.index queries.safetensors -k 5

    Example: hypertorus search raw.index queries.npy --space torusN --out neighbours.npz
    """
    if index.is_dir():
        raise ValueError(
            f"{index} is an index of sounds; search it with: hypertorus sounds search SOUND --index {index}"
        )
    from hypertorus.search import Index

    opened = Index.open(index, verify=verify)
    neighbours = _nearest(opened, queries, k, space, where, threads)
    if out is not None:
        _write(out, neighbours)
    if as_json:
        typer.echo(json.dumps(as_lists(neighbours)))
    elif out is None:
        Console().print(table(neighbours))
    else:
        typer.echo(f"{len(neighbours.ids)} x {k} neighbours written to {out}")


def _nearest(
    opened: Index, queries: str, k: int, space: str | None, where: str | None, threads: int | None
) -> Neighbours:
    import numpy as np

    from hypertorus.files.arrays import read_column
    from hypertorus.search import Neighbours

    record = read_vectors(queries, space, opened.bits)
    among = None if where is None else read_column(Path(where), "ids")
    parts = []
    for part in pieces(len(record), record.width):
        with bar("searching") as progress:
            parts.append(opened.search(record.take(part), k, among, threads, progress))
    ids, distances = (np.concatenate([getattr(each, name) for each in parts]) for name in ("ids", "distances"))
    return Neighbours(ids, distances, parts[0].label_column, parts[0].name_column)


def _write(out: Path, neighbours: Neighbours) -> None:
    """Write ids and distances, whole or not at all."""
    import numpy as np

    from hypertorus.files.atomic import replacing
    from hypertorus.files.tensors import tensor_bytes

    if out.suffix not in (".npz", ".safetensors"):
        raise ValueError(f"--out is {out}; results are written as .npz or .safetensors.")
    arrays: dict[str, Any] = {"ids": neighbours.ids, "distances": neighbours.distances}
    with replacing(out) as file:
        if out.suffix == ".npz":
            np.savez(file, allow_pickle=False, **arrays)
        else:
            file.writelines(tensor_bytes(arrays, {}))


def as_lists(neighbours: Neighbours) -> dict[str, list[list[Any]]]:
    """The neighbours there are, with their labels and names if they have any."""
    there = neighbours.ids >= 0
    columns = {name: getattr(neighbours, name) for name in ("ids", "distances", "labels", "names")}
    return {
        name: [row[mask].tolist() for row, mask in zip(rows, there, strict=True)]
        for name, rows in columns.items()
        if rows is not None
    }


def table(neighbours: Neighbours) -> Table:
    """The first neighbours of the first queries, for the screen."""
    from hypertorus.search import Neighbours as Some

    some = Some(neighbours.ids[:SHOWN], neighbours.distances[:SHOWN], neighbours.label_column, neighbours.name_column)
    first = as_lists(some)
    more = len(neighbours.ids) - SHOWN
    shown = Table(caption=f"and {more:,} more; --out or --json has all" if more > 0 else None)
    for name in ("query", *first):
        shown.add_column(name, justify="right" if name == "query" else "left")
    for row in range(len(first["ids"])):
        shown.add_row(str(row), *(", ".join(map(str, column[row])) for column in first.values()))
    return shown
