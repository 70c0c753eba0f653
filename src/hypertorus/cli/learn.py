"""`hypertorus learn`: classes from a few examples each, without training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from hypertorus.cli.options import AsJson, Force, SearchBits, file_place
from hypertorus.cli.reading import progress_with_warnings
from hypertorus.files.console import plain_console

if TYPE_CHECKING:
    from hypertorus.classes import Classes

PLACE = Path("classes.safetensors")


def learn(
    examples: Annotated[
        Path | None, typer.Argument(help="Folder with a folder of example sounds for each class.", show_default=False)
    ] = None,
    model: Annotated[
        Path | None, typer.Argument(help="Folder of a model that was trained on sounds.", show_default=False)
    ] = None,
    out: Annotated[Path, typer.Option(help="File of classes to write.", callback=file_place)] = PLACE,
    add: Annotated[
        list[Path] | None,
        typer.Option(help="File of classes whose examples are added; may be given several times.", show_default=False),
    ] = None,
    bits: SearchBits = 8,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Learn classes from a few examples of each, without training, for `hypertorus detect`.

    Five examples of a call are a good start: short clips, EXAMPLES/NAME/anything.wav, in which little else is heard.
    Folders named background, noise, silence, other or none hold what is not to be reported. Examples that differ, such
    as song and call, may share a folder: where they fall apart, the class gets several means.

    Classes grow: --add takes the examples of files that were written before, also of new classes, and gives the same
    as learning everything at once.

    Example: hypertorus learn examples/ model/
    Grow: hypertorus learn more/ model/ --add classes.safetensors --out classes.safetensors
    Combine: hypertorus learn --add owls.safetensors --add frogs.safetensors --out both.safetensors
    """
    older = add or []
    if out.exists() and not force and out.resolve() not in [path.resolve() for path in older]:
        raise ValueError(
            f"--out is {out}, which already exists; pass --force to replace it, or --add {out} to keep it."
        )
    if (examples is None) != (model is None) or (examples is None and len(older) < 2):
        raise ValueError("pass EXAMPLES and MODEL, or two files of classes with --add.")
    from hypertorus.classes import read_classes

    parts = [read_classes(path) for path in older]
    if examples is not None and model is not None:
        from hypertorus.listen.examples import learn as learn_examples
        from hypertorus.models import load

        network = load(model)
        _check_bits(parts, older, bits)
        with progress_with_warnings("learning") as progress:
            parts.insert(0, learn_examples(examples, network, bits=bits, progress=progress))
    classes = parts[0].with_examples(parts[1:])
    classes.examples.save(out)
    _report(classes, out, as_json=as_json)


def _check_bits(parts: list[Classes], paths: list[Path], bits: int) -> None:
    for part, path in zip(parts, paths, strict=True):
        if part.examples.bits != bits:
            raise ValueError(
                f"{path} has codes of {part.examples.bits} bits, and --bits is {bits}; pass those of the file."
            )


def _report(classes: Classes, out: Path, *, as_json: bool) -> None:
    from hypertorus.classes.classes import is_background

    rows: list[dict[str, Any]] = [
        {"class": name, "examples": count, "means": classes.means[name]} for name, count in classes.counts.items()
    ]
    if as_json:
        typer.echo(json.dumps({"file": str(out), "model": classes.examples.model, "classes": rows}))
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("class", overflow="fold")
    table.add_column("examples", justify="right")
    table.add_column("means", justify="right")
    for row in rows:
        table.add_row(row["class"], f"{row['examples']:,}", str(row["means"]))
    console = plain_console()
    console.print(table)
    if not any(map(is_background, classes.names)):
        console.print(
            "No background: what else is heard will be taken for one of these classes more often. Put clips of wind, "
            "insects and other calls into a folder named background beside the others.",
            soft_wrap=True,
        )
    console.print(f"Use it: hypertorus detect RECORDINGS MODEL --classes {out}", soft_wrap=True)
