"""`hypertorus chirps`: writes synthetic recordings, to try the commands for sounds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hypertorus.cli.options import folder_place
from hypertorus.files.progress import bar


def chirps(
    out: Annotated[
        Path, typer.Option(help="Folder to write, which must not exist yet.", callback=folder_place, show_default=False)
    ],
    species: Annotated[int, typer.Option(help="Number of species, each in a folder of its own.", min=1)] = 32,
    recordings: Annotated[int, typer.Option(help="Number of recordings of each species.", min=1)] = 12,
    seed: Annotated[int, typer.Option(help="Random seed; the same seed gives the same sounds.", min=0)] = 0,
) -> None:
    """Write synthetic bird songs as .wav files, in a folder for each made-up species.

    They are not birds but sweeps, trills, whistles and buzzes over noise, for trying the commands without recordings.

    Example: hypertorus chirps --out recordings
    """
    if out.exists():
        raise ValueError(f"--out is {out}, which already exists; choose a new folder.")
    from hypertorus.datasets.chirps import write_chirps

    with bar("writing recordings") as progress:
        write_chirps(out, species, recordings, seed, progress)
    typer.echo(f"{species * recordings:,} synthetic recordings of {species} species: {out}")
