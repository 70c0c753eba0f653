"""`hypertorus bench words`: words on a chip, judged by speakers never heard."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from hypertorus.cli.options import AsJson
from hypertorus.files.console import plain_console


def words(
    folder: Annotated[
        Path,
        typer.Argument(
            help="Folder of the Free Spoken Digit Dataset, with a folder for each digit.", show_default=False
        ),
    ],
    birds: Annotated[
        Path | None,
        typer.Option(
            help="Folder of bird calls, with a folder for each species, to measure too; needs the extra birdnet.",
            show_default="none",
        ),
    ] = None,
    work: Annotated[
        Path, typer.Option(help="Folder for the models; those that are there are not trained again.")
    ] = Path("build/words"),
    seeds: Annotated[int, typer.Option(help="Number of seeds to train with.", min=1)] = 1,
    as_json: AsJson = False,
) -> None:
    """Train models of words on some speakers, and measure them on others by the integers of a chip.

    There are three rotations of two held-out speakers. Each seed trains nine models, and thresholds take twelve more;
    a model takes a minute or two.

    Example: hypertorus bench words spoken-digits/
    """
    from rich.table import Table

    from hypertorus.bench.bird_calls import measured_calls
    from hypertorus.bench.word_measures import measured, shares_for_strangers
    from hypertorus.bench.word_models import ROTATIONS, every_run
    from hypertorus.bench.word_table import table

    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is no folder; pass that of the Free Spoken Digit Dataset.")
    shares = [shares_for_strangers(folder, rotation, work) for rotation in range(len(ROTATIONS))]
    runs = [measured(folder, run, work, shares[run.rotation]) for run in every_run(range(seeds))]
    if birds is not None:
        runs += [measured_calls(birds, seed, work) for seed in range(seeds)]
    rows = table(runs, [])
    if as_json:
        typer.echo(json.dumps({"table": rows, "runs": runs}, indent=2))
        return
    shown = Table("what", "value", "at least", "stretch", "runs")
    for row in rows:
        shown.add_row(*("" if value is None else str(value) for value in row.values()))
    plain_console().print(shown)
