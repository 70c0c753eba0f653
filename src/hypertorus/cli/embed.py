"""`hypertorus embed` and `hypertorus encode`: what a model makes of data, as points or as codes, in one file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hypertorus.files.progress import bar

if TYPE_CHECKING:
    from hypertorus.embeddings import Embeddings

PARTS = ("train", "test", "all")

Out = Annotated[Path, typer.Option(help="The .safetensors file to write.", show_default=False)]
Part = Annotated[str, typer.Option(help="The part of the data set to take: train, test or all.")]
DataFolder = Annotated[
    Path | None,
    typer.Option(help="Folder of downloaded archives.", envvar="HYPERTORUS_DATA", show_default="in the cache"),
]
Labels = Annotated[
    Path | None, typer.Option(help="File with a label for each row of an array: .npy or .txt.", show_default=False)
]
Size = Annotated[int | None, typer.Option(help="Side of images from folders in pixels.", show_default="the model's")]
Group = Annotated[
    str | None,
    typer.Option(help="How files are grouped into recordings, as in `hypertorus train`.", show_default="as trained"),
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


def embed(
    model: Annotated[Path, typer.Argument(help="The folder of a model.", show_default=False)],
    data: Annotated[
        str,
        typer.Argument(
            help="Anything that the model takes: a data set of `hypertorus train`, a folder of any depth, a sound, an "
            "image, or a file of arrays, with or without labels.",
            show_default=False,
        ),
    ],
    out: Out,
    part: Part = "all",
    data_folder: DataFolder = None,
    labels: Labels = None,
    size: Size = None,
    group: Group = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write the embeddings of data as unit-norm points, with all that is known of each row.

    The file says in which space the points live and which model made them, and it holds the label, the part, the
    recording and the name of each row, in the order of the source (files sorted by their paths). `evaluate`,
    `few-shot`, `index build`, `search`, `train` and `export` read it.

    Example: hypertorus embed model/ digits --out digits.safetensors
    """
    options = {"folder": data_folder, "labels": labels, "size": size, "group": group}
    _write(_embedded(model, data, None, part, options, out, force=force), out, as_json=as_json)


def encode(
    source: Annotated[
        str,
        typer.Argument(
            help="The folder of a model, with DATA after it; or a file of embeddings.",
            show_default=False,
        ),
    ],
    data: Annotated[
        str | None, typer.Argument(help="Anything that the model takes, as in `hypertorus embed`.", show_default=False)
    ] = None,
    *,
    out: Annotated[
        Path, typer.Option(help="The .safetensors file, or .npy for bare codes, to write.", show_default=False)
    ],
    bits: Annotated[int, typer.Option(help="Bits of each coordinate, 1 to 8.")] = 8,
    space: Annotated[
        str | None,
        typer.Option(help="Space of a plain file of raw numbers: torusN or torusC.", show_default="as the file says"),
    ] = None,
    part: Part = "all",
    data_folder: DataFolder = None,
    labels: Labels = None,
    size: Size = None,
    group: Group = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write codes, one byte for each coordinate: of data by a model, or of embeddings that are there already.

    Example: hypertorus encode model/ digits --bits 4 --out codes.safetensors

    Example: hypertorus encode raw.npy --space torusN --out codes.npy
    """
    if data is not None:
        if space is not None:
            raise ValueError(f"--space is {space}, but the model in {source} has a space of its own; leave it out.")
        options = {"folder": data_folder, "labels": labels, "size": size, "group": group}
        _write(_embedded(Path(source), data, bits, part, options, out, force=force), out, as_json=as_json)
        return
    from dataclasses import replace

    from hypertorus.embeddings import read_embeddings

    _check_out(out, force=force)
    if Path(source).is_dir():
        raise ValueError(
            f"{source} is a folder; name the data to encode after the model, or pass a file of embeddings."
        )
    record = read_embeddings(source, space=space, labels=labels)
    codes = replace(record, rows=record.codes(bits), kind="codes", bits=bits, metric=record.metric or "cosine")
    _write(codes, out, as_json=as_json)


def _embedded(
    folder: Path, data: str, bits: int | None, part: str, options: dict[str, Any], out: Path, *, force: bool
) -> Embeddings:
    _check_out(out, force=force)
    if part not in PARTS:
        raise ValueError(f"--part is {part}; there are {', '.join(PARTS)}.")
    from hypertorus.cli.reading import telling
    from hypertorus.datasets.read import read_any
    from hypertorus.models import load
    from hypertorus.models.sources import reading_options

    model = load(folder)
    fitting = reading_options(data, model.shape, model.sound, model.training_facts)
    chosen = {**fitting, **{name: value for name, value in options.items() if value is not None}}
    with telling("reading") as progress:
        inputs = read_any(data, progress=progress, **chosen)
    with bar("embedding") as progress:
        record = model.embeddings(inputs, bits, progress=progress)
    return record if part == "all" else record.part(part)


def _check_out(out: Path, *, force: bool) -> None:
    if out.suffix not in (".safetensors", ".npy"):
        raise ValueError(f"--out is {out}; embeddings are written as .safetensors.")
    if out.exists() and not force:
        raise ValueError(f"--out is {out}, which is there already; pass --force to replace it.")


def _write(record: Embeddings, out: Path, *, as_json: bool) -> None:
    if out.suffix == ".npy":
        import numpy as np

        from hypertorus.files.atomic import replacing

        with replacing(out) as file:
            np.save(file, record.rows, allow_pickle=False)
    else:
        record.save(out)
    if as_json:
        facts = {"file": str(out), "rows": len(record), "kind": record.kind, "space": record.space, "dim": record.dim}
        typer.echo(json.dumps({**facts, "bits": record.bits, "classes": len(record.classes), "model": record.model}))
    else:
        typer.echo(f"{record}: {out}")
