"""`hypertorus sounds`: recordings to an index, and a sound to the recordings that are most like it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from hypertorus.cli.reading import telling
from hypertorus.files.progress import bar

if TYPE_CHECKING:
    from hypertorus.listen import Match, SoundIndex

app = typer.Typer(help="Index recordings and search them by ear.", no_args_is_help=True)

PLACE = Path("sounds")

Recordings = Annotated[
    Path,
    typer.Argument(help="Recordings: .wav, .flac, .ogg and .mp3, in folders of any depth.", show_default=False),
]
Place = Annotated[Path, typer.Argument(help="Folder of an index of sounds.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


@app.command()
def index(
    folder: Recordings,
    model: Annotated[Path, typer.Argument(help="Folder of a model that was trained on sounds.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder to write.")] = PLACE,
    bits: Annotated[int, typer.Option(help="Bits of each coordinate: 8, 4, 2 or 1.")] = 8,
    metric: Annotated[str, typer.Option(help="Metric: cosine, l1 or l2.")] = "cosine",
    force: Annotated[bool, typer.Option("--force", help="Replace an index that is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make an index of all recordings in a folder, to be searched by ear.

    Long recordings are cut into windows as long as those the model was trained on. Files that cannot be read are
    reported and left out. The result is one folder: codes, clips.csv with file and time of each, and a copy of the
    model.

    Example: hypertorus sounds index recordings/ model/
    """
    if out.exists() and not force:
        raise ValueError(f"--out is {out}, which is there already; pass --force to replace it, or another place.")
    from hypertorus.listen import SoundIndex
    from hypertorus.listen.folder import check_replaceable

    check_replaceable(out)  # before the work, not after it
    with telling("listening") as progress:
        made = SoundIndex.build(folder, model, bits=bits, metric=metric, progress=progress)
    made.save(out)
    _report(made, out, as_json=as_json)
    if not as_json:
        place = "" if out == PLACE else f" --index {out}"
        _console().print(f"Search it: hypertorus sounds search SOUND{place} --report page.html", soft_wrap=True)


@app.command()
def add(place: Place, folder: Recordings, as_json: AsJson = False) -> None:
    """Add the recordings in a folder to an index of sounds; files that it has already are left as they are.

    Example: hypertorus sounds add sounds/ more-recordings/
    """
    from hypertorus.listen import SoundIndex

    opened = SoundIndex.open(place)
    with telling("listening") as progress:
        grown = opened.grown(folder, progress=progress)
    new = len(grown.windows.paths) - len(opened.windows.paths)
    if new:
        grown.save(place)
    _report(grown, place, as_json=as_json)
    if not as_json:
        _console().print(f"{new:,} new files." if new else "No new files.")


@app.command()
def info(place: Place = PLACE, as_json: AsJson = False) -> None:
    """Say what is in an index of sounds.

    Example: hypertorus sounds info sounds/
    """
    from hypertorus.cli.index import print_facts
    from hypertorus.listen import SoundIndex

    facts = _facts(SoundIndex.open(place), place)
    print_facts(facts if as_json else {**facts, "left_out": len(facts["left_out"])}, as_json=as_json)


@app.command()
def search(
    sound: Annotated[Path, typer.Argument(help="A sound file to search for.", show_default=False)],
    place: Annotated[Path, typer.Option("--index", help="Folder of an index of sounds.")] = PLACE,
    k: Annotated[int, typer.Option("--k", "-k", help="Number of clips to list.")] = 10,
    at: Annotated[
        float | None,
        typer.Option(help="Search for one window of the sound, from this second on.", show_default="all windows"),
    ] = None,
    not_itself: Annotated[bool, typer.Option("--not-itself", help="List no clips of the very same file.")] = False,
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML page with pictures and players.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find the clips of recordings that are most like a sound.

    Every window of a long sound is searched for, and a clip is listed with the window that it is most like. Its
    distance is a share: 0 is the same, 1 as far apart as can be, and chance makes 0.5 (by l2, 0.33).

    Example: hypertorus sounds search query.wav --report page.html
    """
    from hypertorus.listen import SoundIndex

    opened = SoundIndex.open(place)
    matches = opened.search(sound, k, at=at, not_itself=not_itself)
    if report is not None:
        from hypertorus.files.atomic import replacing
        from hypertorus.report.sounds import sounds_page

        with bar("drawing") as progress:
            report.parent.mkdir(parents=True, exist_ok=True)
            page = sounds_page(opened, sound, matches, at=at, progress=progress)
        with replacing(report) as file:
            file.write(page.encode())
    if as_json:
        rows = [match._asdict() for match in matches]
        typer.echo(json.dumps({"query": str(sound), "folder": str(opened.folder), "matches": rows}))
        return
    console = _console()
    console.print(_table(sound, matches, at is None and opened.has_several(sound)))
    console.print(f"distance: 0 is the same, 1 as far apart as can be, chance makes {opened.chance:.2f}.")
    if report is not None:
        console.print(f"The page to look at: {report}", soft_wrap=True)


def _report(index: SoundIndex, place: Path, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(_facts(index, place)))
        return
    hours = index.windows.seconds / 3600
    length = f"{hours:.1f} hours" if hours >= 1 else f"{60 * hours:.1f} minutes"
    console = _console()
    console.print(
        f"{len(index.index):,} clips of {len(index.windows.paths):,} files, {length} of sound: {place}", soft_wrap=True
    )
    if len(index.left_out) > 3:
        console.print(f"All files that could not be read are listed in {place / 'sounds.json'}.", soft_wrap=True)


def _console() -> Console:
    """Names of files are printed as they are, brackets and colons and all."""
    return Console(highlight=False, markup=False, emoji=False)


def _table(sound: Path, matches: list[Match], several: bool) -> Table:
    from hypertorus.listen.windows import clock

    shown = Table(title=f"Most like {sound}", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    shown.add_column("file", overflow="fold")
    shown.add_column("from", justify="right")
    shown.add_column("to", justify="right")
    shown.add_column("distance", justify="right")
    if several:
        shown.add_column("like the query from", justify="right")
    for match in matches:
        cells = [clock(match.start), clock(match.end), f"{match.distance:.3f}"]
        shown.add_row(match.path, *cells, *([clock(match.at)] if several else []))
    return shown


def _facts(index: SoundIndex, place: Path) -> dict[str, Any]:
    return {
        "folder": str(place),
        "recordings": str(index.folder),
        "files": len(index.windows.paths),
        "clips": len(index.index),
        "seconds": index.windows.seconds,
        "dim": index.index.dim,
        "bits": index.index.bits,
        "metric": index.index.metric,
        "model": index.model.fingerprint,
        "left_out": list(index.left_out),
    }
