"""`hypertorus chirps`: synthetic recordings, to try sounds with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hypertorus.files.progress import bar


def chirps(
    out: Annotated[Path, typer.Option(help="The folder to write, which must not be there.", show_default=False)],
    species: Annotated[int, typer.Option(help="How many species, each a folder of its own.", min=1)] = 32,
    recordings: Annotated[int, typer.Option(help="How many recordings of each.", min=1)] = 12,
    seed: Annotated[int, typer.Option(help="Which birds; the same seed gives the same sounds.", min=0)] = 0,
) -> None:
    """Write synthetic bird songs as .wav files, in a folder for each made-up species.

    They are no birds: sweeps, trills, whistles and buzzes before noise, for trying the commands without recordings.

    Example: hypertorus chirps --out recordings
    """
    if out.exists():
        raise ValueError(f"--out is {out}, which is there already; name a new folder.")
    from hypertorus.data.chirps import write_chirps

    with bar("singing") as progress:
        write_chirps(out, species, recordings, seed, progress)
    typer.echo(f"{species * recordings:,} synthetic recordings of {species} species: {out}")
