"""`hypertorus sounds vary` and `vectors`: what a small network needs to learn from BirdNET."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hypertorus.cli.embed import Out, check_out, write_out
from hypertorus.cli.options import AsJson, Force, folder_place
from hypertorus.cli.reading import progress_with_warnings
from hypertorus.files.console import plain_console

Folder = Annotated[Path, typer.Argument(help="Folder of recordings, with a folder for each class.", show_default=False)]


def vary(
    folder: Folder,
    out: Annotated[
        Path, typer.Option(help="Folder to write, which must not exist yet.", callback=folder_place, show_default=False)
    ],
    times: Annotated[int, typer.Option(help="Number of variations of each recording.", min=1)] = 8,
    seconds: Annotated[float, typer.Option(help="Length of a variation in seconds.", min=0.1)] = 3.0,
    rate: Annotated[int, typer.Option(help="Samples a second.", min=1000)] = 48_000,
    seed: Annotated[int, typer.Option(help="Random seed; the same seed gives the same sounds.", min=0)] = 0,
) -> None:
    """Write the recordings and variations of them, for a small network that learns from a large one.

    A variation is a stretch of a recording, faster or slower, often with another recording or noise behind it. Its
    label may no longer be true, so train on what a teacher hears in it (`hypertorus sounds vectors`).

    Example: hypertorus sounds vary recordings/ --out varied/
    """
    if out.exists():
        raise ValueError(f"--out is {out}, which already exists; choose a new folder.")
    from hypertorus.datasets.sound_folder import read_sound_folder
    from hypertorus.datasets.variations import write_variations

    sounds = read_sound_folder(folder)
    assert sounds.names is not None
    with progress_with_warnings("varying") as progress:
        written = write_variations(
            sounds.clips, sounds.names.tolist(), out, times, seconds=seconds, rate=rate, seed=seed, progress=progress
        )
    plain_console().print(f"{written:,} sounds: {out}", soft_wrap=True)


def vectors(
    source: Annotated[str, typer.Argument(help="Folder of recordings, of any depth, or a sound.", show_default=False)],
    out: Out,
    *,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write the vectors that BirdNET has of recordings, 1,024 numbers for each three seconds.

    Needs the extra `birdnet`; BirdNET is not licensed for commercial use. The vectors are a teacher for
    `hypertorus train --loss neighbours --teacher`, and may be searched and encoded like any others.

    Example: hypertorus sounds vectors varied/ --out vectors.safetensors

    Then: hypertorus fit-codes vectors.safetensors --out coder/
    """
    check_out(out, "float32", force=force)
    from hypertorus.models.sound_vectors import sound_vectors

    with progress_with_warnings("listening") as progress:
        found = sound_vectors(source, progress=progress)
    write_out(found, out, as_json=as_json)
