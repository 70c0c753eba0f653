"""`hypertorus index`: make an index of codes, add to it, remove from it, and show its facts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from typer.core import TyperGroup

from hypertorus.cli.options import (
    AsJson,
    CoderFolder,
    Coordinates,
    Force,
    LabelsOfFile,
    MetricOfFile,
    SearchBitsOfFile,
    TorusOfFile,
    Verify,
)
from hypertorus.files.console import plain_console
from hypertorus.files.progress import bar
from hypertorus.files.suffixes import SUFFIXES, listed

if TYPE_CHECKING:
    from hypertorus.embeddings import Embeddings
    from hypertorus.embeddings.stream import Stream
    from hypertorus.search import Index
    from hypertorus.search._coarse import CoarseFacts


class IndexGroup(TyperGroup):
    """A group of commands whose error for a folder names the command that takes folders."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            problem = (
                f"{name} is not a command of `hypertorus index`"
                if Path(name).exists()
                else f"there is no folder {name}"
            )
            raise ValueError(f"{problem}; index recordings with: hypertorus sounds index RECORDINGS MODEL")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=IndexGroup,
    help="Make an index of codes, add to it, remove from it. For recordings, see `hypertorus sounds`.",
    no_args_is_help=True,
)

IndexFile = Annotated[
    Path, typer.Argument(help="File of an index, or folder of an index of sounds.", show_default=False)
]
Vectors = Annotated[
    str,
    typer.Argument(
        help="Embeddings or codes, as `hypertorus embed` and `encode` write them; or integer codes, or raw numbers "
        f"with --space, as {listed(SUFFIXES)}. FILE:NAME names one of several arrays.",
        show_default=False,
    ),
]
IdFile = Annotated[
    str | None, typer.Option("--ids", help="File with an id for each vector.", show_default="consecutive ids")
]


@app.command()
def build(
    vectors: Vectors,
    out: Annotated[Path, typer.Option(help="File to write.", show_default=False)],
    space: TorusOfFile = None,
    bits: SearchBitsOfFile = None,
    metric: MetricOfFile = None,
    ids: IdFile = None,
    labels: LabelsOfFile = None,
    coder: CoderFolder = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Make an index of embeddings or codes, with their classes and names.

    Files are read a piece at a time: of a file of any size, only the codes of the index are in memory.

    Example: hypertorus index build digits.safetensors --out digits.index

    Example: hypertorus index build base.fbin --space torusN --out base.index

    Example: hypertorus index build vectors.npy --coder coder/ --out base.index
    """
    if out.exists() and not force:
        raise ValueError(f"--out is {out}, which already exists; pass --force to replace it.")
    if coder is not None:
        refuse_beside_coder({"--space": space, "--bits": bits, "--metric": metric})
        _save(_coded(coder, vectors, ids, labels), out, as_json)
        return
    from hypertorus.search import Index

    stream = open_vectors(vectors, space, bits)
    first = stream.piece(slice(0, 1))
    depth = bits or first.bits or 8
    index = Index(_coordinates(first), depth, metric or first.metric or "cosine", model=first.model)
    _add(index, stream, ids, labels)
    _save(index, out, as_json)


@app.command()
def add(
    index_file: IndexFile,
    vectors: Vectors,
    space: TorusOfFile = None,
    ids: IdFile = None,
    labels: LabelsOfFile = None,
    as_json: AsJson = False,
) -> None:
    """Add embeddings or codes to an index, or a folder of recordings to an index of sounds.

    Example: hypertorus index add digits.index more.safetensors
    """
    if index_file.is_dir():
        from hypertorus.cli.sounds import add as add_sounds

        _refuse_for_sounds({"--space": space, "--ids": ids, "--labels": labels})
        add_sounds(index_file, Path(vectors), as_json=as_json)
        return
    from hypertorus.search import Index

    with Index.editing(index_file) as index:
        _add(index, open_vectors(vectors, space, index.bits), ids, labels)
        _commit(index)
    _print(index, index_file, as_json)


@app.command()
def remove(
    index_file: IndexFile,
    ids: Annotated[list[int] | None, typer.Argument(help="Ids to remove.", show_default=False)] = None,
    id_file: Annotated[str | None, typer.Option("--ids", help="File with ids to remove.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Remove vectors from an index by their ids.

    Example: hypertorus index remove digits.index 17 29
    """
    import numpy as np

    from hypertorus.files.arrays import read_column
    from hypertorus.search import Index

    id_lists = [np.array(ids or [], np.int64)] + ([] if id_file is None else [read_column(Path(id_file), "ids")])
    if sum(map(len, id_lists)) == 0:
        raise ValueError("there are no ids to remove; pass them after the index, or in a file with --ids.")
    with Index.editing(index_file) as index:
        for id_list in id_lists:
            index.remove(id_list)
        _commit(index)
    _print(index, index_file, as_json)


@app.command()
def arrange(
    index_file: IndexFile,
    cells: Annotated[
        int | None, typer.Option(help="Number of cells.", show_default="twice the square root of the codes", min=1)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Arrange an index in cells, so that an exact search looks at few of its codes.

    What a search finds stays the same. Codes of a trained model form clusters, of which a query has to look at one or
    two; `share` is the share of codes that a typical query looks at. Codes without clusters gain nothing.

    Example: hypertorus index arrange digits.index
    """
    if index_file.is_dir():
        from hypertorus.cli.sounds import info as sound_info
        from hypertorus.listen import SoundIndex

        sounds = SoundIndex.open(index_file)
        with bar("arranging") as progress:
            sounds.index.arrange(cells, progress=progress)
        sounds.save(index_file)
        sound_info(index_file, as_json=as_json)
        return
    from hypertorus.search import Index

    index = Index.open(index_file)
    with bar("arranging") as progress:
        index.arrange(cells, progress=progress)
    _save(index, index_file, as_json)


@app.command()
def coarsen(
    index_file: IndexFile,
    coordinates: Coordinates = None,
    bits: Annotated[int, typer.Option(help="Bits per coordinate of the coarse part: 4, 2 or 1.")] = 4,
    as_json: AsJson = False,
) -> None:
    """Keep the top bits of the first coordinates of each code apart, for a first pass that reads little.

    What an exact search finds stays the same. `coarse` shows the share of codes that a typical query has to look at
    after the first pass; where that is much, an exact search scans the codes as before.

    Example: hypertorus index coarsen digits.index --coordinates 32 --bits 2
    """
    from hypertorus.search import Index

    if index_file.is_dir():
        raise ValueError(f"{index_file} is an index of sounds; pass the file of an index of codes.")
    with Index.editing(index_file) as index:
        with bar("coarsening") as progress:
            index.coarsen(coordinates, bits, progress=progress)
        _commit(index)
    _print(index, index_file, as_json)


@app.command()
def shrink(
    index_file: IndexFile,
    out: Annotated[Path, typer.Option(help="File or, of an index of sounds, folder to write.", show_default=False)],
    coordinates: Coordinates = None,
    bits: Annotated[
        int | None, typer.Option(help="Bits per coordinate to keep: 8, 4, 2 or 1.", show_default="all")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Cut the codes of an index to fewer coordinates and bits, without encoding anything again.

    Ids, labels, names and the model stay; embeddings of that model, which are cut alike, search the smaller index. An
    index in cells is arranged anew. The first coordinates of a model that was trained with --nested are an embedding by
    themselves; of other models they are worth less.

    Example: hypertorus index shrink digits.index --coordinates 32 --bits 2 --out small.index
    """
    if coordinates is None and bits is None:
        raise ValueError("there is nothing to shrink by; pass --coordinates, --bits or both.")
    if out.exists() and not force:
        raise ValueError(f"--out is {out}, which already exists; pass --force to replace it.")
    if index_file.is_dir():
        from hypertorus.cli.sounds import info as sound_info
        from hypertorus.listen import SoundIndex

        sounds = SoundIndex.open(index_file)
        with bar("shrinking") as progress:
            sounds = sounds.narrowed(coordinates, bits, progress=progress)
        sounds.save(out)
        sound_info(out, as_json=as_json)
        return
    from hypertorus.search import Index

    index = Index.open(index_file)
    with bar("shrinking") as progress:
        smaller = index.narrowed(coordinates, bits, progress=progress)
    _save(smaller, out, as_json)


@app.command()
def info(
    index_file: IndexFile,
    verify: Verify = True,
    as_json: AsJson = False,
) -> None:
    """Show the facts of an index of codes or of sounds.

    Example: hypertorus index info digits.index
    """
    if index_file.is_dir():
        from hypertorus.cli.sounds import info as sound_info

        sound_info(index_file, as_json=as_json)
        return
    from hypertorus.search import Index

    _print(Index.open(index_file, verify=verify), index_file, as_json)


def open_vectors(source: str, space: str | None, bits: int | None = None) -> Stream:
    """Return the embeddings of any file in pieces; integers in a plain file are codes of `bits` bits, by default 8."""
    from hypertorus.embeddings.read import check_agrees, read_record, stream_of
    from hypertorus.embeddings.stream import Stream
    from hypertorus.embeddings.table import read_table
    from hypertorus.files.suffixes import split_name

    path, name = split_name(source)
    record = read_record(path) if name is None else None
    if record is not None:
        check_agrees(record, path, space=space)
        return Stream.of(record)
    table = read_table(source)
    if table.rows.dtype.kind in "iu":
        if space is not None:
            raise ValueError(
                f"{source} holds {table.rows.dtype}, but --space {space} takes raw floating-point numbers; leave it "
                "out if these are codes, or save them as floats."
            )
        # A plain product of circles: which torus the angles came from makes no difference to an index.
        return stream_of(table, source, "torusC", "codes", bits or 8)
    return stream_of(table, source, space)


def _coordinates(record: Embeddings) -> int:
    from hypertorus.spaces import Torus

    torus = record.home
    if not isinstance(torus, Torus):
        raise ValueError(  # noqa: TRY004
            f"these embeddings live on the {record.space}, whose codes do not wrap around; an index needs a torus: "
            "train with --space torusN or torusC."
        )
    return torus.flat_dim


def _add(index: Index, stream: Stream, ids: str | None, labels: Path | None) -> None:
    from hypertorus.files.arrays import read_column

    id_column = None if ids is None else read_column(Path(ids), "ids")
    label_column = None if labels is None else read_column(labels, "labels")
    for option, column in (("--ids", id_column), ("--labels", label_column)):
        if column is not None and column.shape != (len(stream),):
            raise ValueError(f"{option} has shape {column.shape} for {len(stream)} vectors; pass one for each.")
    with bar("adding") as progress:
        for part, piece in stream:
            piece_ids = None if id_column is None else id_column[part]
            piece_labels = None if label_column is None else label_column[part]
            if label_column is None and stream.labelled:  # also of a piece of which no label is known
                piece_labels = piece.label_names
            index.add(piece, piece_ids, piece_labels)
            progress(part.stop, len(stream))


def _coded(coder: Path, vectors: str, ids: str | None, labels: Path | None) -> Index:
    """Return an index of the codes that a coder makes of vectors."""
    from hypertorus.coders import load_coder
    from hypertorus.embeddings.table import read_table
    from hypertorus.files.arrays import read_column

    table = read_table(vectors, labels)
    id_column = None if ids is None else read_column(Path(ids), "ids")
    with bar("encoding") as progress:
        return load_coder(coder).index(
            table.rows, ids=id_column, labels=table.labels, names=table.names, progress=progress
        )


def refuse_beside_coder(options: dict[str, object]) -> None:
    """Raise a ValueError for an option that a coder decides."""
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"{name} is {value}, which the coder decides; leave it out.")


def _refuse_for_sounds(options: dict[str, object]) -> None:
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"{name} is {value}, which has no meaning for an index of sounds; leave it out.")


def _save(index: Index, path: Path, as_json: bool) -> None:
    with bar("saving") as progress:
        index.save(path, progress)
    _print(index, path, as_json)


def _commit(index: Index) -> None:
    with bar("saving") as progress:
        index.commit(progress)


def _print(index: Index, path: Path, as_json: bool) -> None:
    from hypertorus.search._journal import journal_path

    journal = journal_path(path.resolve())
    facts: dict[str, Any] = {
        "file": str(path),
        "codes": len(index),
        "dim": index.dim,
        "bits": index.bits,
        "metric": index.metric,
        "labels": index.has_labels,
        "names": index.has_names,
        "model": index.model,
        "cells": index.cells,
        "share": round(index.share, 4),
        "coarse": None if index.coarse is None else coarse_text(index.coarse),
        "bytes": path.stat().st_size + (journal.stat().st_size if journal.exists() else 0),
    }
    print_facts(facts, as_json=as_json)


def coarse_text(coarse: CoarseFacts) -> str:
    """Return the size of a coarse part, and what it is worth."""
    return f"{coarse.coordinates} x {coarse.bits} bits, a query looks at {coarse.share:.2%} of the codes"


def print_facts(facts: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(facts))
        return
    table = Table(show_header=False, box=None)
    for name, value in facts.items():
        table.add_row(name, _cell(value))
    plain_console().print(table)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
