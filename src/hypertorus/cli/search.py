"""`hypertorus search`: the nearest codes of an index, or the recordings that are most like a sound."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hypertorus.cli.index import AsJson
from hypertorus.cli.sounds import PLACE, search_sounds
from hypertorus.files.progress import bar

if TYPE_CHECKING:
    import numpy.typing as npt

    from hypertorus.search import Index, Neighbours

_SHOWN = 20


CODES, RECORDINGS = "Among codes", "Among recordings"


def search(
    index: Annotated[Path, typer.Argument(help="The file of an index, or the folder of one of recordings.")] = PLACE,
    queries: Annotated[
        str | None,
        typer.Argument(
            help="Integer codes, or raw numbers with --space, in .npy or .safetensors[:NAME].", show_default=False
        ),
    ] = None,
    k: Annotated[int, typer.Option("--k", "-k", help="How many neighbours.")] = 10,
    as_json: AsJson = False,
    audio: Annotated[
        Path | None,
        typer.Option(help="A sound file to find the like of.", rich_help_panel=RECORDINGS, show_default=False),
    ] = None,
    at: Annotated[
        float | None,
        typer.Option(
            help="Ask for one window of it, from this second on.",
            rich_help_panel=RECORDINGS,
            show_default="all windows",
        ),
    ] = None,
    not_itself: Annotated[
        bool, typer.Option("--not-itself", help="List no clips of the very same file.", rich_help_panel=RECORDINGS)
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(
            help="Write an HTML page with pictures and players.", rich_help_panel=RECORDINGS, show_default=False
        ),
    ] = None,
    space: Annotated[
        str | None,
        typer.Option(help="The queries are raw numbers of torusN or torusC.", rich_help_panel=CODES),
    ] = None,
    where: Annotated[str | None, typer.Option(help="A file with the ids to look among.", rich_help_panel=CODES)] = None,
    threads: Annotated[
        int | None, typer.Option(help="How many threads; all cores unless given.", rich_help_panel=CODES)
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write ids and distances to this .npz or .safetensors.", rich_help_panel=CODES),
    ] = None,
    verify: Annotated[
        bool, typer.Option(help="First check all of the index against its checksums.", rich_help_panel=CODES)
    ] = True,
) -> None:
    """Find the clips of recordings that are most like a sound, or the k nearest codes of each query, exactly.

    Every window of a long sound is searched, and a clip is listed by the one that it is most like.
    Its distance is a share: 0 is the same, 1 as far apart as can be, chance makes 0.5 (by l2, 0.33).
    Distances of codes are whole numbers; ties go to the lower id.

    Example: hypertorus search --audio query.wav --report page.html

    Example: hypertorus search index.safetensors queries.npy --space torusN -k 5 --out found.npz
    """
    if (queries is None) == (audio is None):
        raise ValueError(
            "search takes a file of queries after the index, or a sound with --audio; pass one of the two."
        )
    if audio is not None:
        _refuse({"--space": space, "--where": where, "--threads": threads, "--out": out}, "the search for a sound")
        search_sounds(index, audio, k, at, report, not_itself=not_itself, as_json=as_json)
    elif queries is not None:
        _refuse({"--at": at, "--report": report, "--not-itself": not_itself or None}, "a search without --audio")
        from hypertorus.cli.arrays import write_arrays
        from hypertorus.search import Index

        opened = Index.open(index, verify=verify)
        found = _nearest(opened, queries, k, space, where, threads)
        if out is not None:
            write_arrays(out, found._asdict())
        if as_json:
            typer.echo(json.dumps(as_lists(opened, found)))
        elif out is None:
            Console().print(table(opened, found))
        else:
            typer.echo(f"{len(found.ids)} x {k} neighbours written to {out}")


def _refuse(options: dict[str, Any], by: str) -> None:
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"{name} means nothing for {by}; leave it out.")


def _nearest(
    opened: Index, queries: str, k: int, space: str | None, where: str | None, threads: int | None
) -> Neighbours:
    import numpy as np

    from hypertorus.cli.arrays import pieces, read_array
    from hypertorus.search import Neighbours

    array = read_array(queries, "queries")
    among = None if where is None else read_array(where, "ids")
    parts: list[Neighbours] = []
    for piece in pieces(array, space, queries):
        with bar("searching") as progress:
            parts.append(opened.search(piece, k, among, threads, progress))
    if not parts:
        raise ValueError(f"{queries} has shape {array.shape}, which is empty; pass at least one query.")
    return Neighbours(*map(np.concatenate, zip(*parts, strict=True)))


def as_lists(index: Index, found: Neighbours) -> dict[str, list[list[Any]]]:
    """The neighbours there are, with their labels if they have any."""
    import numpy as np

    there = found.ids >= 0
    columns: dict[str, npt.NDArray[Any]] = {"ids": found.ids, "distances": found.distances}
    if index.has_labels:
        labels = index.labels_of(found.ids[there])
        columns["labels"] = np.zeros(found.ids.shape, labels.dtype)
        columns["labels"][there] = labels
    return {name: [row[mask].tolist() for row, mask in zip(rows, there, strict=True)] for name, rows in columns.items()}


def table(index: Index, found: Neighbours) -> Table:
    """The first neighbours of the first queries, for the screen."""
    from hypertorus.search import Neighbours

    first = as_lists(index, Neighbours(found.ids[:_SHOWN], found.distances[:_SHOWN]))
    more = len(found.ids) - _SHOWN
    shown = Table(caption=f"and {more:,} more; --out or --json has all" if more > 0 else None)
    for name in ("query", *first):
        shown.add_column(name, justify="right" if name == "query" else "left")
    for row in range(len(first["ids"])):
        shown.add_row(str(row), *(", ".join(map(str, column[row])) for column in first.values()))
    return shown
