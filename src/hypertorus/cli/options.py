"""Options that several commands share: the same name, help and type everywhere.

A name that ends in OfFile or OfModel is an option whose default is taken from the file or the model.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from hypertorus.files.place import problem_of_file, problem_of_folder
from hypertorus.files.suffixes import SUFFIXES, listed
from hypertorus.training.settings import HARDWARE, SPACES

METRICS = ("cosine", "l1", "l2")
"""The metrics of `hypertorus.spaces.Torus`, which needs numpy."""

DATA = "Data"
"""The panel of options that say how data are read."""


def file_place(path: Path | None) -> Path | None:
    """Return the path of a file to write, or raise a ValueError before the work if none can be written there."""
    return _place(path, problem_of_file)


def folder_place(path: Path | None) -> Path | None:
    """Return the path of a folder to write, or raise a ValueError before the work if none can be written there."""
    return _place(path, problem_of_folder)


def _place(path: Path | None, problem_of: Callable[[Path], str | None]) -> Path | None:
    if path is not None and (problem := problem_of(path)) is not None:
        raise ValueError(f"nothing can be written to {path}: {problem}; choose another place.")
    return path


def _bits(**options: Any) -> Any:
    return typer.Option(help="Bits per coordinate: 8, 4, 2 or 1.", **options)


def _metric(**options: Any) -> Any:
    return typer.Option(help=f"Distance between codes on a torus: {', '.join(METRICS)}.", **options)


def _labels(**options: Any) -> Any:
    return typer.Option(help="File with a label for each row of an array file: .npy or .txt.", **options)


def _size(show_default: str) -> Any:
    sentence = "Height and width, in pixels, of the images of a folder."
    return typer.Option(help=sentence, rich_help_panel=DATA, show_default=show_default)


def _group(show_default: str) -> Any:
    sentence = (
        "How files are grouped into recordings, which are never split: stem (the file name before its last _), none, "
        "or auto (stem if any two files share one)."
    )
    return typer.Option(help=sentence, rich_help_panel=DATA, show_default=show_default)


EmbeddingsFile = Annotated[
    str,
    typer.Argument(
        help="Embeddings or codes with labels, as `hypertorus embed` and `encode` write them; or, with --space, "
        f"{listed(SUFFIXES)}.",
        show_default=False,
    ),
]
IndexFile = Annotated[
    Path, typer.Argument(help="File of an index, or folder of an index of sounds.", show_default=False)
]

SpaceName = Annotated[str, typer.Option("--space", help=f"Space of the embeddings: {', '.join(SPACES)}.")]
SpaceOfFile = Annotated[
    str | None,
    typer.Option(
        "--space",
        help=f"Space of the rows of a plain array file: {', '.join(SPACES)}.",
        show_default="that of the file",
    ),
]
TorusOfFile = Annotated[
    str | None,
    typer.Option(
        "--space",
        help="Space of raw numbers in a plain array file: torusN or torusC.",
        show_default="that of the file",
    ),
]
BitsOfFile = Annotated[
    int | None, typer.Option(help="Bits per coordinate, from 1 to 8.", show_default="those of the codes, or 8")
]
Coordinates = Annotated[
    int | None,
    typer.Option(
        help="Number of coordinates to keep, the first ones: circles of a torus, numbers of a sphere.",
        show_default="all",
        min=1,
    ),
]
SearchBits = Annotated[int, _bits()]
SearchBitsOfFile = Annotated[int | None, _bits(show_default="those of the file, or 8")]
Metric = Annotated[str, _metric()]
MetricOfFile = Annotated[str | None, _metric(show_default="that of the file, or cosine")]
Device = Annotated[str, typer.Option(help="Device to train on: auto, cpu, cuda or mps.", rich_help_panel=HARDWARE)]

CoderFolder = Annotated[
    Path | None,
    typer.Option(
        "--coder",
        help="Folder of a coder, as `hypertorus fit-codes` writes it, that turns plain vectors into codes.",
        show_default=False,
    ),
]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
Csv = Annotated[
    Path | None,
    typer.Option("--csv", help="Also write the rows to this .csv file.", callback=file_place, show_default=False),
]
Force = Annotated[bool, typer.Option("--force", help="Replace existing files.")]
Verify = Annotated[bool, typer.Option(help="Check the whole index against its checksums first.")]

DataFolder = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the published data sets, which are downloaded there.",
        envvar="HYPERTORUS_DATA",
        rich_help_panel=DATA,
        show_default="in the cache",
    ),
]
Labels = Annotated[Path | None, _labels(rich_help_panel=DATA, show_default=False)]
LabelsOfFile = Annotated[Path | None, _labels(show_default="those of the file")]
Size = Annotated[int | None, _size("by the images")]
SizeOfModel = Annotated[int | None, _size("that of the model")]
Group = Annotated[str | None, _group("auto")]
GroupOfModel = Annotated[str | None, _group("as in training")]
