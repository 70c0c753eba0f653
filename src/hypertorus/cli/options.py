"""Options that several commands share: the same name, help and type everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hypertorus.training.settings import HARDWARE, SPACES

METRICS = ("cosine", "l1", "l2")
"""The metrics of `hypertorus.spaces.Torus`, which needs numpy."""

DATA = "Data"
"""The panel of options that say how data are read."""

SpaceName = Annotated[str, typer.Option("--space", help=f"Space of the embeddings: {', '.join(SPACES)}.")]
Bits = Annotated[int, typer.Option(help="Bits per coordinate, from 1 to 8.")]
Metric = Annotated[str, typer.Option(help=f"Distance between codes on a torus: {', '.join(METRICS)}.")]
Device = Annotated[str, typer.Option(help="Device to train on: auto, cpu, cuda or mps.", rich_help_panel=HARDWARE)]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
Csv = Annotated[Path | None, typer.Option("--csv", help="Also write the rows to this .csv file.", show_default=False)]
Force = Annotated[bool, typer.Option("--force", help="Replace existing files.")]

DataFolder = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the published data sets, which are downloaded there.",
        envvar="HYPERTORUS_DATA",
        rich_help_panel=DATA,
        show_default="in the cache",
    ),
]
Labels = Annotated[
    Path | None, typer.Option(help="File with the labels of an .npy file.", rich_help_panel=DATA, show_default=False)
]
Size = Annotated[
    int | None,
    typer.Option(
        help="Height and width, in pixels, of the images of a folder.",
        rich_help_panel=DATA,
        show_default="by the images",
    ),
]
Group = Annotated[
    str | None,
    typer.Option(
        help="How files are grouped into recordings, which are never split: stem (the file name before its last _), "
        "none, or auto (stem if any two files share one).",
        rich_help_panel=DATA,
        show_default="auto",
    ),
]
