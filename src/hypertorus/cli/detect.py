"""`hypertorus detect`: what is heard in long recordings, as tables for field programs."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from hypertorus.cli.options import AsJson, folder_place
from hypertorus.cli.reading import progress_with_warnings
from hypertorus.files.console import plain_console

if TYPE_CHECKING:
    from hypertorus.listen.detector import Detected

SHOWN = 5
"""Number of notes that are printed."""


def detect(
    recordings: Annotated[
        Path,
        typer.Argument(help="Folder of recordings of any depth and length, or one recording.", show_default=False),
    ],
    model: Annotated[Path, typer.Argument(help="Folder of a model that was trained on sounds.", show_default=False)],
    classes: Annotated[
        Path | None,
        typer.Option(
            help="Classes to listen for: a file of `hypertorus learn`, or codes or an index with labels.",
            show_default="classes.safetensors in the folder of the model",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder to write.", callback=folder_place)] = Path("detections"),
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            help="Format of the tables: raven, audacity, birdnet or parquet; may be given several times.",
            show_default="raven",
        ),
    ] = None,
    overlap: Annotated[float, typer.Option(help="Share of a window by which the next one overlaps it.")] = 0.5,
    threshold: Annotated[float, typer.Option(help="Score below which nothing is reported, from 0 to 1.")] = 0.5,
    restart: Annotated[bool, typer.Option("--restart", help="Begin anew, and remove earlier detections.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find what you taught in recordings of any length, and write it as tables for Raven, Audacity and others.

    Recordings are cut into overlapping windows, each is compared with the classes, and windows of one class that touch
    become an event. A window that is like no class is none of these, however near the nearest may be; silence, and
    recordings shorter than a window, are not judged, and the summary says so.

    The same command continues after Ctrl-C, a crash or a power cut: recordings that are done are not heard again, and
    new ones are added. DETECTIONS/raven has a table for each recording, and detections.selections.txt is one for all
    of them, with times as Raven counts them when all recordings are opened as one sequence.

    Example: hypertorus learn examples/ model/
    Then: hypertorus detect recordings/ model/ --classes classes.safetensors --out detections/
    """
    from hypertorus.listen.detector import detect as run

    begun = time.monotonic()
    with progress_with_warnings("listening") as progress:
        found = run(
            recordings,
            model,
            out,
            classes=classes,
            overlap=overlap,
            threshold=threshold,
            formats=tuple(formats or ("raven",)),
            restart=restart,
            progress=progress,
        )
    if as_json:
        typer.echo(json.dumps(_facts(found, out)))
    else:
        _show(found, out, time.monotonic() - begun)


def _facts(found: Detected, out: Path) -> dict[str, object]:
    heard = found.recordings
    return {
        "folder": str(out),
        "recordings": len(heard),
        "new": found.new,
        "seconds": found.seconds,
        "windows": sum(each.windows for each in heard),
        "silent": sum(each.silent for each in heard),
        "none_of_these": sum(each.nothing for each in heard),
        "events": found.counts,
        "notes": [each.note for each in heard if each.note],
        "together": [str(path) for path in found.together],
    }


def _show(found: Detected, out: Path, took: float) -> None:
    facts, console = _facts(found, out), plain_console()
    if found.counts:
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("class", overflow="fold")
        table.add_column("events", justify="right")
        for name, count in found.counts.items():
            table.add_row(name, f"{count:,}")
        console.print(table)
    console.print(
        f"{facts['recordings']:,} recordings, {found.seconds / 3600:.2f} hours; {found.new:,} of them heard now, in "
        f"{took:.0f} s. Of {facts['windows']:,} windows {facts['none_of_these']:,} are none of these and "
        f"{facts['silent']:,} silent.",
        soft_wrap=True,
    )
    notes = [each.note for each in found.recordings if each.note]
    for note in notes[:SHOWN]:
        console.print(note, soft_wrap=True)
    if len(notes) > SHOWN:
        console.print(f"And {len(notes) - SHOWN:,} more such recordings; --json lists them all.")
    for path in found.together or (out,):
        console.print(f"Written: {path}", soft_wrap=True)
