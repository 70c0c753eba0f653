"""`hypertorus index`: make an index of codes, add to it, remove from it, and show its facts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from hypertorus.cli.index_facts import commit_index, print_index, save_index
from hypertorus.cli.index_layout import arrange, coarsen, shrink
from hypertorus.cli.options import (
    AsJson,
    CoderFolder,
    Force,
    IndexFile,
    LabelsOfFile,
    MetricOfFile,
    SearchBitsOfFile,
    TorusOfFile,
    Verify,
    file_place,
)
from hypertorus.files.progress import bar
from hypertorus.files.suffixes import SUFFIXES, listed

if TYPE_CHECKING:
    from hypertorus.coders import Coder
    from hypertorus.embeddings.stream import Stream
    from hypertorus.files.rows import Rows
    from hypertorus.search import Index


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

VECTORS = (
    "Embeddings or codes, as `hypertorus embed` and `encode` write them; or integer codes, or raw numbers "
    f"with --space, as {listed(SUFFIXES)}. FILE:NAME names one of several arrays."
)
Vectors = Annotated[str, typer.Argument(help=VECTORS, show_default=False)]
IdFile = Annotated[
    str | None, typer.Option("--ids", help="File with an id for each vector.", show_default="consecutive ids")
]


@app.command()
def build(
    vectors: Vectors,
    out: Annotated[Path, typer.Option(help="File to write.", callback=file_place, show_default=False)],
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
        made, rows, columns = _for_coder(coder, vectors, ids, labels)
        with bar("encoding") as progress:
            coded = made.index(rows, **columns, progress=progress)
        save_index(coded, out, as_json)
        return
    from hypertorus.search import Index
    from hypertorus.search._record import coordinates_of

    stream = open_vectors(vectors, space, bits)
    first = stream.piece(slice(0, 1))
    depth = bits or first.bits or 8
    index = Index(coordinates_of(first), depth, metric or first.metric or "cosine", model=first.model)
    _add(index, stream, ids, labels)
    save_index(index, out, as_json)


@app.command()
def add(
    index_file: IndexFile,
    vectors: Vectors,
    space: TorusOfFile = None,
    ids: IdFile = None,
    labels: LabelsOfFile = None,
    coder: CoderFolder = None,
    as_json: AsJson = False,
) -> None:
    """Add embeddings or codes to an index, or a folder of recordings to an index of sounds.

    Example: hypertorus index add digits.index more.safetensors

    Example: hypertorus index add base.index more.npy --coder coder/
    """
    if index_file.is_dir():
        from hypertorus.cli.sounds import add as add_sounds

        _refuse_for_sounds({"--space": space, "--ids": ids, "--labels": labels, "--coder": coder})
        add_sounds(index_file, Path(vectors), as_json=as_json)
        return
    from hypertorus.search import Index

    if coder is not None:
        refuse_beside_coder({"--space": space})
    with Index.editing(index_file) as index:
        if coder is None:
            _add(index, open_vectors(vectors, space, index.bits), ids, labels)
        else:
            made, rows, columns = _for_coder(coder, vectors, ids, labels)
            with bar("encoding") as progress:
                made.add(index, rows, **columns, progress=progress)
        commit_index(index)
    print_index(index, index_file, as_json)


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
        commit_index(index)
    print_index(index, index_file, as_json)


app.command()(arrange)
app.command()(coarsen)
app.command()(shrink)


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

    print_index(Index.open(index_file, verify=verify), index_file, as_json)


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


def _for_coder(coder: Path, vectors: str, ids: str | None, labels: Path | None) -> tuple[Coder, Rows, dict[str, Any]]:
    """Return the coder in a folder, and the vectors in a file with the columns of their index."""
    from hypertorus.coders import load_coder
    from hypertorus.embeddings.read import read_vectors
    from hypertorus.files.arrays import read_column

    table = read_vectors(vectors, labels)
    id_column = None if ids is None else read_column(Path(ids), "ids")
    return load_coder(coder), table.rows, {"ids": id_column, "labels": table.labels, "names": table.names}


def refuse_beside_coder(options: dict[str, object]) -> None:
    """Raise a ValueError for an option that a coder decides."""
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"{name} is {value}, which the coder decides; leave it out.")


def _refuse_for_sounds(options: dict[str, object]) -> None:
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"{name} is {value}, which has no meaning for an index of sounds; leave it out.")
