"""`hypertorus embed` and `hypertorus encode`: write the embeddings of data as points or as codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hypertorus.cli.options import (
    AsJson,
    BitsOfFile,
    Coordinates,
    DataFolder,
    Force,
    GroupOfModel,
    Labels,
    SizeOfModel,
    TorusOfFile,
    file_place,
)
from hypertorus.files.progress import bar
from hypertorus.files.suffixes import TABLES, WRITTEN, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hypertorus.embeddings import Embeddings
    from hypertorus.embeddings.stream import Stream

PARTS = ("train", "test", "all")

Cut = tuple[int | None, int | None]
"""How many coordinates and how many bits to keep; None keeps all of them, or makes no codes."""

Out = Annotated[
    Path,
    typer.Option(
        help=f"File to write, .safetensors; or, for other programs, .npy, {listed(WRITTEN)}.",
        callback=file_place,
        show_default=False,
    ),
]
Part = Annotated[str, typer.Option(help="Part of the data set to embed: train, test or all.")]


def embed(
    model: Annotated[Path, typer.Argument(help="Folder of a model.", show_default=False)],
    data: Annotated[
        str,
        typer.Argument(
            help="Data to embed: a data set of `hypertorus train`, a folder of any depth, a sound, an image, texts "
            "(.txt, .csv, .tsv, .jsonl), or a file of arrays, with or without labels.",
            show_default=False,
        ),
    ],
    out: Out,
    coordinates: Coordinates = None,
    part: Part = "all",
    data_folder: DataFolder = None,
    labels: Labels = None,
    size: SizeOfModel = None,
    group: GroupOfModel = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write the embeddings of data as unit-norm points, with their labels, split, recordings and names.

    The file records the space and the model, and the label, part, recording and name of each row, in the order of the
    source (files sorted by their paths). `evaluate`, `few-shot`, `index build`, `search`, `train` and `export` read it.

    Example: hypertorus embed model/ digits --out digits.safetensors
    """
    options = {"folder": data_folder, "labels": labels, "size": size, "group": group}
    write_out(_embed(model, data, (coordinates, None), part, options, out, force=force), out, as_json=as_json)


def encode(
    source: Annotated[
        str,
        typer.Argument(
            help="Folder of a model, followed by DATA; or a file of embeddings.",
            show_default=False,
        ),
    ],
    data: Annotated[
        str | None, typer.Argument(help="Data to encode, as in `hypertorus embed`.", show_default=False)
    ] = None,
    *,
    out: Out,
    bits: BitsOfFile = None,
    coordinates: Coordinates = None,
    space: TorusOfFile = None,
    part: Part = "all",
    data_folder: DataFolder = None,
    labels: Labels = None,
    size: SizeOfModel = None,
    group: GroupOfModel = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write codes, one byte per coordinate, of data by a model, or of existing embeddings or codes.

    Codes of a nested model are cut to fewer coordinates and bits without encoding anything again.

    Example: hypertorus encode model/ digits --bits 4 --out codes.safetensors

    Example: hypertorus encode codes.safetensors --coordinates 32 --bits 2 --out small.safetensors

    Example: hypertorus encode base.fbin --space torusN --out base.u8bin
    """
    if data is not None:
        if space is not None:
            raise ValueError(f"--space is {space}, but the model in {source} has a space of its own; leave it out.")
        options = {"folder": data_folder, "labels": labels, "size": size, "group": group}
        cut = (coordinates, 8 if bits is None else bits)
        write_out(_embed(Path(source), data, cut, part, options, out, force=force), out, as_json=as_json)
        return
    check_out(out, "uint8", force=force)
    if Path(source).is_dir():
        raise ValueError(
            f"{source} is a folder; name the data to encode after the model, or pass a file of embeddings."
        )
    from hypertorus.embeddings import read_embeddings
    from hypertorus.embeddings.read import open_embeddings

    if out.suffix in WRITTEN:
        stream = open_embeddings(source, space=space, labels=labels)
        _write_pieces(stream, (coordinates, bits), out, as_json=as_json)
    else:
        record = _encoded(read_embeddings(source, space=space, labels=labels), (coordinates, bits))
        write_out(record, out, as_json=as_json)


def _embed(
    folder: Path, data: str, cut: Cut, part: str, options: dict[str, Any], out: Path, *, force: bool
) -> Embeddings:
    coordinates, bits = cut
    check_out(out, "float32" if bits is None else "uint8", force=force)
    if part not in PARTS:
        raise ValueError(f"--part is {part}; choose one of {', '.join(PARTS)}.")
    from hypertorus.cli.reading import progress_with_warnings
    from hypertorus.datasets.read import read_any
    from hypertorus.models import load
    from hypertorus.models.sources import reading_options

    model = load(folder)
    defaults = reading_options(data, model.shape, model.sound, model.training_facts)
    options = {**defaults, **{name: value for name, value in options.items() if value is not None}}
    with progress_with_warnings("reading") as progress:
        inputs = read_any(data, progress=progress, **options)
    with bar("embedding") as progress:
        record = model.embeddings(inputs, bits, coordinates=coordinates, progress=progress)
    return record if part == "all" else record.part(part)


def _encoded(record: Embeddings, cut: Cut) -> Embeddings:
    from dataclasses import replace

    coordinates, bits = cut
    depth = bits or record.bits or 8
    codes = replace(record, rows=record.codes(depth), kind="codes", bits=depth, metric=record.metric or "cosine")
    return codes.narrowed(coordinates)


def check_out(out: Path, dtype: str, *, force: bool) -> None:
    """Raise an error before any work if the rows cannot be written."""
    if out.suffix not in (".safetensors", ".npy", *WRITTEN):
        raise ValueError(
            f"--out is {out}; embeddings are written as .safetensors, or for other programs as .npy, {listed(WRITTEN)}."
        )
    if out.exists() and not force:
        raise ValueError(f"--out is {out}, which already exists; pass --force to replace it.")
    if out.suffix in WRITTEN:
        from hypertorus.files.write import check_dtype

        check_dtype(out, dtype)


def write_out(record: Embeddings, out: Path, *, as_json: bool) -> None:
    if out.suffix == ".npy":
        import numpy as np

        from hypertorus.files.atomic import replacing

        with replacing(out) as file:
            np.save(file, record.rows, allow_pickle=False)
    elif out.suffix in WRITTEN:
        from hypertorus.embeddings.stream import Stream
        from hypertorus.files.write import write_rows

        write_rows(out, [_columns(record, out, labelled=Stream.of(record).labelled)])
    else:
        record.save(out)
    _print(record, len(record), out, as_json=as_json)


def _write_pieces(stream: Stream, cut: Cut, out: Path, *, as_json: bool) -> None:
    """Write the codes of a file that may be larger than memory."""
    from hypertorus.files.write import write_rows

    with bar("encoding") as progress:

        def pieces() -> Iterator[Mapping[str, Any]]:
            for part, piece in stream:
                yield _columns(_encoded(piece, cut), out, labelled=stream.labelled)
                progress(part.stop, len(stream))

        write_rows(out, pieces())
    _print(_encoded(stream.piece(slice(0, 1)), cut), len(stream), out, as_json=as_json)


def _columns(record: Embeddings, out: Path, *, labelled: bool) -> dict[str, Any]:
    """Return what a file for other programs holds: the rows, and in a table also the columns that describe them."""
    columns: dict[str, Any] = {record.kind: record.rows}
    if out.suffix in TABLES:
        columns |= {"label": record.label_names if labelled else None, "part": record.parts, "group": record.groups}
        columns |= {"name": record.names, "start": record.starts}
    return {name: column for name, column in columns.items() if column is not None}


def _print(record: Embeddings, rows: int, out: Path, *, as_json: bool) -> None:
    """Print the facts of a file; `record` may have only the first of its rows."""
    facts = {"file": str(out), "rows": rows, "kind": record.kind, "space": record.space, "dim": record.dim}
    facts |= {"bits": record.bits, "classes": len(record.classes), "model": record.model}
    if as_json:
        typer.echo(json.dumps(facts))
    elif rows == len(record):
        typer.echo(f"{record}: {out}")
    else:
        typer.echo(f"{rows:,} rows of {record.kind} of {record.bits} bits in {record.space}: {out}")
