"""`hypertorus embed`: what a model makes of data, as codes or as floats, in one file with the labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from hypertorus.cli.reading import read
from hypertorus.files.progress import bar

PARTS = ("train", "test", "all")


def embed(
    model: Annotated[Path, typer.Argument(help="The folder of a model.", show_default=False)],
    data: Annotated[str, typer.Argument(help="Anything that `hypertorus train` takes.", show_default=False)],
    out: Annotated[Path, typer.Option(help="The .safetensors file to write.", show_default=False)],
    bits: Annotated[int, typer.Option(help="Bits a coordinate of the codes, 1 to 8.")] = 8,
    as_float: Annotated[bool, typer.Option("--float", help="Write unit-norm points, not codes.")] = False,
    part: Annotated[str, typer.Option(help="train, test or all.")] = "all",
    data_folder: Annotated[
        Path | None, typer.Option(help="Where archives are.", envvar="HYPERTORUS_DATA", show_default="in the cache")
    ] = None,
    labels: Annotated[Path | None, typer.Option(help="The labels of an .npy file.", show_default=False)] = None,
    size: Annotated[int | None, typer.Option(help="Pixels a side for images in folders.")] = None,
    group: Annotated[
        str | None, typer.Option(help="As in `hypertorus train`; it decides the parts.", show_default="auto")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write the embeddings of data: codes (or points) and labels, for `hypertorus index build` and for anybody.

    Example: hypertorus embed model/ digits --out codes.safetensors
    """
    if out.suffix != ".safetensors":
        raise ValueError(f"--out is {out}; embeddings are written as .safetensors.")
    if out.exists() and not force:
        raise ValueError(f"--out is {out}, which is there already; pass --force to replace it.")
    if part not in PARTS:
        raise ValueError(f"--part is {part}; there are {', '.join(PARTS)}.")
    import numpy as np

    import hypertorus
    from hypertorus.files.atomic import replacing
    from hypertorus.files.tensors import tensor_bytes
    from hypertorus.models.fitting import fitting

    network = hypertorus.load(model)
    asked = {**fitting(network, data), **({} if size is None else {"size": size})}
    found = read(data, folder=data_folder, labels=labels, group=group, **asked)
    parts = [found.train, found.test] if part == "all" else [getattr(found, part)]
    total, rows, done = sum(map(len, parts)), [], 0
    with bar("embedding") as progress:
        for inputs in parts:

            def shown(ready: int, _: int, before: int = done) -> None:
                progress(before + ready, total)

            rows.append(
                network.embed(inputs, progress=shown) if as_float else network.encode(inputs, bits, progress=shown)
            )
            done += len(inputs)
    name = "points" if as_float else "codes"
    tensors: dict[str, Any] = {
        name: np.concatenate(rows),
        "labels": np.concatenate([inputs.labels.numpy() for inputs in parts]),
    }
    metadata = {
        "format": f"hypertorus-{name}",
        "space": network.space_name,
        "dim": str(network.dim),
        "classes": json.dumps(found.classes),
    }
    if not as_float:
        metadata["bits"] = str(bits)
    with replacing(out) as file:
        file.writelines(tensor_bytes(tensors, metadata))
    typer.echo(f"{total:,} {name} of {tensors[name].shape[1]} numbers and their labels: {out}")
