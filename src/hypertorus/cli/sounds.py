"""`hypertorus sounds`: index recordings, and find the clips that sound most like a query."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from hypertorus.cli.neighbours import distances_as_text, vote
from hypertorus.cli.options import AsJson, Force, Metric, SearchBits, folder_place
from hypertorus.cli.reading import progress_with_warnings
from hypertorus.files.console import plain_console
from hypertorus.files.progress import bar

if TYPE_CHECKING:
    from hypertorus.listen import Match, SoundIndex

app = typer.Typer(help="Index recordings and search them by sound.", no_args_is_help=True)

PLACE = Path("sounds")

Recordings = Annotated[
    Path,
    typer.Argument(
        help="Folder of recordings of any depth, with .wav, .flac, .ogg and .mp3 files.", show_default=False
    ),
]
Place = Annotated[Path, typer.Argument(help="Folder of an index of sounds.")]


@app.command()
def index(
    folder: Recordings,
    model: Annotated[Path, typer.Argument(help="Folder of a model that was trained on sounds.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder to write.", callback=folder_place)] = PLACE,
    bits: SearchBits = 8,
    metric: Metric = "cosine",
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Make an index of all recordings in a folder.

    Long recordings are cut into windows as long as those the model was trained on. Files that cannot be read are
    reported and left out. The result is one folder: codes, clips.csv with file and time of each, and a copy of the
    model. The same command resumes after Ctrl-C or a crash: what was encoded is kept beside it until it is whole.

    Example: hypertorus sounds index recordings/ model/
    """
    if out.exists() and not force:
        raise ValueError(f"--out is {out}, which already exists; pass --force to replace it, or choose another place.")
    from hypertorus.listen import SoundIndex
    from hypertorus.listen.encoded import journal_path
    from hypertorus.listen.folder import check_replaceable

    check_replaceable(out)  # before the work, not after it
    with progress_with_warnings("listening") as progress:
        journal = journal_path(out)
        sound_index = SoundIndex.build(folder, model, bits=bits, metric=metric, progress=progress, journal=journal)
    sound_index.save(out)
    journal.unlink(missing_ok=True)
    _report(sound_index, out, as_json=as_json)
    if not as_json:
        place = "" if out == PLACE else f" --index {out}"
        plain_console().print(f"Search it: hypertorus sounds search SOUND{place} --report page.html", soft_wrap=True)
        plain_console().print(f"Answer and learn on a page: hypertorus explore {out}", soft_wrap=True)


@app.command()
def add(place: Place, folder: Recordings, as_json: AsJson = False) -> None:
    """Add the recordings in a folder to an index of sounds; files that it already has are skipped.

    The same command resumes after Ctrl-C or a crash.

    Example: hypertorus sounds add sounds/ more-recordings/
    """
    from hypertorus.listen import SoundIndex
    from hypertorus.listen.encoded import journal_path

    sound_index, journal = SoundIndex.open(place), journal_path(place)
    with progress_with_warnings("listening") as progress:
        grown = sound_index.grown(folder, progress=progress, journal=journal)
    new = len(grown.windows.paths) - len(sound_index.windows.paths)
    if new:
        grown.save(place)
    journal.unlink(missing_ok=True)
    _report(grown, place, as_json=as_json)
    if not as_json:
        plain_console().print(f"{new:,} new files." if new else "No new files.")


@app.command()
def remove(
    place: Place,
    names: Annotated[
        list[str],
        typer.Argument(
            help="Recordings to forget, as `search` lists them: paths, folders, or patterns such as 'site/*.wav'.",
            show_default=False,
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Forget recordings: the index no longer has their clips. The recordings themselves are left alone.

    Example: hypertorus sounds remove sounds/ site-3/ site-1/wind.wav
    """
    from hypertorus.listen import SoundIndex

    sound_index = SoundIndex.open(place)
    rest = sound_index.without(names)
    rest.save(place)
    _report(rest, place, as_json=as_json)
    if not as_json:
        plain_console().print(f"{len(sound_index.windows.paths) - len(rest.windows.paths):,} files forgotten.")


@app.command()
def info(place: Place = PLACE, as_json: AsJson = False) -> None:
    """Show the facts of an index of sounds.

    Example: hypertorus sounds info sounds/
    """
    from hypertorus.cli.index_facts import print_facts
    from hypertorus.listen import SoundIndex

    facts = _facts(SoundIndex.open(place), place)
    print_facts(facts if as_json else {**facts, "left_out": len(facts["left_out"])}, as_json=as_json)


@app.command()
def search(
    sound: Annotated[Path, typer.Argument(help="Sound file to search for.", show_default=False)],
    place: Annotated[Path, typer.Option("--index", help="Folder of an index of sounds.")] = PLACE,
    k: Annotated[int, typer.Option("--k", "-k", help="Number of clips to list.")] = 10,
    at: Annotated[
        float | None,
        typer.Option(help="Search for one window of the sound, from this second on.", show_default="all windows"),
    ] = None,
    not_itself: Annotated[bool, typer.Option("--not-itself", help="List no clips of the same file.")] = False,
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML page with pictures and players.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find the clips of recordings that are most like a sound.

    Every window of a long sound is searched for, and a clip is listed with the window that it is most like. Distances
    go from 0, the same code, to 1, the largest; random codes have 0.5 (with l2, 0.33). The label of a clip is the
    folder of its recording, and the clips vote by their labels.

    Example: hypertorus sounds search query.wav --report page.html
    """
    from hypertorus.listen import SoundIndex

    sound_index = SoundIndex.open(place)
    matches = sound_index.search(sound, k, at=at, not_itself=not_itself)
    if report is not None:
        from hypertorus.files.atomic import replacing
        from hypertorus.report.sounds import sounds_page

        with bar("drawing") as progress:
            report.parent.mkdir(parents=True, exist_ok=True)
            page = sounds_page(sound_index, sound, matches, at=at, progress=progress)
        with replacing(report) as file:
            file.write(page.encode())
    if as_json:
        rows = [{**match._asdict(), "label": match.label} for match in matches]
        typer.echo(json.dumps({"query": str(sound), "folder": str(sound_index.folder), "matches": rows}))
        return
    console = plain_console()
    console.print(_table(sound, matches, at is None and sound_index.has_several(sound)))
    if (said := vote([match.label for match in matches])) is not None:
        console.print(said, soft_wrap=True)
    console.print(f"distance: 0 is the same code, 1 the largest; random codes have {sound_index.chance:.2f}.")
    if report is not None:
        console.print(f"The page: {report}", soft_wrap=True)


def _report(index: SoundIndex, place: Path, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(_facts(index, place)))
        return
    hours = index.windows.seconds / 3600
    length = f"{hours:.1f} hours" if hours >= 1 else f"{60 * hours:.1f} minutes"
    console = plain_console()
    console.print(
        f"{len(index.index):,} clips of {len(index.windows.paths):,} files, {length} of sound: {place}", soft_wrap=True
    )
    if len(index.left_out) > 3:
        console.print(f"All files that could not be read are listed in {place / 'sounds.json'}.", soft_wrap=True)


def _table(sound: Path, matches: list[Match], several: bool) -> Table:
    from hypertorus.listen.windows import clock

    table = Table(title=f"Most like {sound}", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("file", overflow="fold")
    labelled = any(match.label for match in matches)
    if labelled:
        table.add_column("label", overflow="fold")
    table.add_column("from", justify="right")
    table.add_column("to", justify="right")
    table.add_column("distance", justify="right")
    if several:
        table.add_column("like the query from", justify="right")
    for match, distance in zip(matches, distances_as_text([match.distance for match in matches]), strict=True):
        cells = [clock(match.start), clock(match.end), distance]
        table.add_row(match.path, *([match.label] if labelled else []), *cells, *([clock(match.at)] if several else []))
    return table


def _facts(index: SoundIndex, place: Path) -> dict[str, Any]:
    from hypertorus.listen.encode import ear_of

    ear = ear_of(index.model)
    return {
        "folder": str(place),
        "recordings": str(index.folder),
        "files": len(index.windows.paths),
        "clips": len(index.index),
        "seconds": index.windows.seconds,
        "dim": index.index.dim,
        "bits": index.index.bits,
        "metric": index.index.metric,
        "cells": index.index.cells,
        "share": round(index.index.share, 4),
        "model": index.model.fingerprint,
        "ear": ear.as_dict().get("kind", "spectrogram"),
        "window": ear.seconds,
        "left_out": list(index.left_out),
    }
