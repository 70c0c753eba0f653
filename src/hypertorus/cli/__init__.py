"""The command `hypertorus`, with a file for each group of commands.

A file imports typer and rich at its top, and other packages of hypertorus inside its commands, so that help is quick.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from hypertorus import __version__
from hypertorus.cli import (
    bench,
    chirps,
    demo,
    detect,
    embed,
    evaluate,
    explore,
    export,
    few_shot,
    fit_codes,
    index,
    learn,
    paper,
    search,
    shards,
    sounds,
    spaces,
    train,
    variations,
)
from hypertorus.files.extras import explained

app = typer.Typer(
    name="hypertorus",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hypertorus {__version__}")
        raise typer.Exit


@app.callback()
def hypertorus(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    """Embeddings on the torus: train them, store them as overflowing integers, search them exactly."""


app.command("spaces")(spaces.spaces)
app.command("demo")(demo.demo)
app.command("chirps")(chirps.chirps)
app.command("train")(train.train)
app.command("embed")(embed.embed)
app.command("quantisers")(evaluate.quantisers)
app.command("encode")(embed.encode)
app.command("fit-codes")(fit_codes.fit_codes)
app.command("evaluate")(evaluate.evaluate)
app.command("few-shot")(few_shot.few_shot)
app.add_typer(index.app, name="index")
app.add_typer(export.app, name="export")
app.add_typer(bench.app, name="bench")
app.add_typer(paper.app, name="paper")
app.command("search")(search.search)
app.add_typer(shards.app, name="shards")
sounds.app.command("vary")(variations.vary)
sounds.app.command("vectors")(variations.vectors)
app.add_typer(sounds.app, name="sounds")
app.command("learn")(learn.learn)
app.command("detect")(detect.detect)
app.command("explore")(explore.explore)


def main() -> None:
    """Run the command; an error that the user can fix is one sentence on stderr, with exit code 1."""
    try:
        app()
    except (ValueError, TypeError, ImportError, OSError) as error:
        sys.exit(f"hypertorus: {explained(error)}")
