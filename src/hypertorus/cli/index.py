"""`hypertorus index`: make an index of codes or of recordings, change it, look at it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hypertorus.cli import sounds
from hypertorus.files.progress import bar

if TYPE_CHECKING:
    from hypertorus.search import Index

app = typer.Typer(
    cls=sounds.FolderFirst,
    help="Make an index of recordings (hypertorus index RECORDINGS MODEL) or of codes, add to it, remove from it, look "
    "at it.",
    no_args_is_help=True,
)
app.command("sounds")(sounds.sounds)

IndexFile = Annotated[Path, typer.Argument(help="The file of an index.", show_default=False)]
Vectors = Annotated[
    str,
    typer.Argument(
        help="Integer codes, or raw numbers with --space, in .npy or .safetensors[:NAME].", show_default=False
    ),
]
SpaceName = Annotated[str | None, typer.Option("--space", help="The vectors are raw numbers of torusN or torusC.")]
IdFile = Annotated[str | None, typer.Option("--ids", help="A file with an id for each vector; else they are counted.")]
LabelFile = Annotated[str | None, typer.Option("--labels", help="A file with a label for each vector; .txt has lines.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


@app.command()
def build(
    vectors: Vectors,
    out: Annotated[Path, typer.Option(help="The file to write.")],
    space: SpaceName = None,
    bits: Annotated[int, typer.Option(help="Bits a coordinate: 8, 4, 2 or 1.")] = 8,
    metric: Annotated[str, typer.Option(help="cosine, l1 or l2.")] = "cosine",
    ids: IdFile = None,
    labels: LabelFile = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make an index of vectors.

    Example: hypertorus index build embeddings.npy --space torusN --out index.safetensors
    """
    if out.exists() and not force:
        raise ValueError(f"--out is {out}, which is there already; pass --force to replace it.")
    from hypertorus.cli.arrays import code_dim, read_array
    from hypertorus.search import Index

    array = read_array(vectors, "codes")
    index = Index(code_dim(array, space), bits, metric)
    _add(index, array, vectors, space, ids, labels)
    _save(index, out, as_json)


@app.command()
def add(
    index_file: IndexFile,
    vectors: Vectors,
    space: SpaceName = None,
    ids: IdFile = None,
    labels: LabelFile = None,
    as_json: AsJson = False,
) -> None:
    """Add vectors to an index.

    Example: hypertorus index add index.safetensors more.npy --space torusN
    """
    from hypertorus.cli.arrays import read_array
    from hypertorus.search import Index

    index = Index.open(index_file)
    _add(index, read_array(vectors, "codes"), vectors, space, ids, labels)
    _save(index, index_file, as_json)


@app.command()
def remove(
    index_file: IndexFile,
    ids: Annotated[list[int] | None, typer.Argument(help="Ids to remove.", show_default=False)] = None,
    id_file: Annotated[str | None, typer.Option("--ids", help="A file with ids to remove.")] = None,
    as_json: AsJson = False,
) -> None:
    """Remove vectors from an index by their ids.

    Example: hypertorus index remove index.safetensors 17 29
    """
    import numpy as np

    from hypertorus.cli.arrays import read_array
    from hypertorus.search import Index

    gone = [np.array(ids or [], np.int64)] + ([] if id_file is None else [read_array(id_file, "ids")])
    if sum(map(len, gone)) == 0:
        raise ValueError("no ids were given; name them after the index, or pass a file of them with --ids.")
    index = Index.open(index_file)
    for some in gone:
        index.remove(some)
    _save(index, index_file, as_json)


@app.command()
def info(
    index_file: IndexFile,
    verify: Annotated[bool, typer.Option(help="Read all of the file and check it against its checksums.")] = True,
    as_json: AsJson = False,
) -> None:
    """Say what is in an index.

    Example: hypertorus index info index.safetensors
    """
    from hypertorus.search import Index

    _print(Index.open(index_file, verify=verify), index_file, as_json)


def _add(index: Index, array: Any, file: str, space: str | None, ids: str | None, labels: str | None) -> None:
    from hypertorus.cli.arrays import pieces, read_array

    given_ids = None if ids is None else read_array(ids, "ids")
    given_labels = None if labels is None else read_array(labels, "labels")
    for what, given in (("--ids", given_ids), ("--labels", given_labels)):
        if given is not None and given.shape != array.shape[:1]:
            raise ValueError(f"{what} has shape {given.shape} for {len(array)} vectors; pass one for each.")
    done = 0
    with bar("adding") as progress:
        for piece in pieces(array, space, file):
            part = slice(done, done + len(piece))
            index.add(
                piece,
                None if given_ids is None else given_ids[part],
                None if given_labels is None else given_labels[part],
            )
            done += len(piece)
            progress(done, len(array))


def _save(index: Index, path: Path, as_json: bool) -> None:
    with bar("saving") as progress:
        index.save(path, progress)
    _print(index, path, as_json)


def _print(index: Index, path: Path, as_json: bool) -> None:
    facts: dict[str, str | int] = {
        "file": str(path),
        "codes": len(index),
        "dim": index.dim,
        "bits": index.bits,
        "metric": index.metric,
        "labels": index.has_labels,
        "bytes": path.stat().st_size,
    }
    if as_json:
        typer.echo(json.dumps(facts))
        return
    table = Table(show_header=False, box=None)
    for name, value in facts.items():
        yes_or_no = "yes" if value else "no"
        table.add_row(name, yes_or_no if isinstance(value, bool) else f"{value:,}" if isinstance(value, int) else value)
    Console().print(table)
