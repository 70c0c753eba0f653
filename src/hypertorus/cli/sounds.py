"""`hypertorus index FOLDER MODEL` and `hypertorus search --audio FILE`: recordings to an index, a sound to its like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from typer.core import TyperGroup

from hypertorus.cli.reading import telling
from hypertorus.files.progress import bar

if TYPE_CHECKING:
    from hypertorus.listen.index import Match, SoundIndex

PLACE = Path("sounds")


class FolderFirst(TyperGroup):
    """A group of commands in which a folder, where the name of a command is expected, is short for `sounds FOLDER`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        short = self.get_command(ctx, args[0]) is None and Path(args[0]).is_dir()
        return super().resolve_command(ctx, ["sounds", *args] if short else args)


def sounds(
    folder: Annotated[
        Path,
        typer.Argument(help="Recordings: .wav, .flac, .ogg and .mp3, in folders of any depth.", show_default=False),
    ],
    model: Annotated[
        Path, typer.Argument(help="The folder of a model that was trained on sounds.", show_default=False)
    ],
    out: Annotated[Path, typer.Option(help="The folder to write.")] = PLACE,
    bits: Annotated[int, typer.Option(help="Bits a coordinate: 8, 4, 2 or 1.")] = 8,
    metric: Annotated[str, typer.Option(help="cosine, l1 or l2.")] = "cosine",
    force: Annotated[bool, typer.Option("--force", help="Replace an index that is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
) -> None:
    """Make an index of all recordings in a folder, to be searched by ear.

    Long recordings are cut into windows as long as those the model was trained on. What cannot be read is told and left
    out. The result is one folder: codes, clips.csv with file and time of each, and a copy of the model.
    The word `sounds` may be left out.

    Example: hypertorus index recordings/ model/
    """
    if out.exists() and not force:
        raise ValueError(f"--out is {out}, which is there already; pass --force to replace it, or another place.")
    from hypertorus.listen.folder import check_replaceable
    from hypertorus.listen.index import SoundIndex

    check_replaceable(out)  # before the work, not after it
    with telling("listening") as progress:
        made = SoundIndex.build(folder, model, bits=bits, metric=metric, progress=progress)
    made.save(out)
    if as_json:
        typer.echo(json.dumps(_facts(made, out)))
        return
    console = _console()
    hours = made.windows.seconds / 3600
    length = f"{hours:.1f} hours" if hours >= 1 else f"{60 * hours:.1f} minutes"
    console.print(
        f"{len(made.index):,} clips of {len(made.windows.paths):,} files, {length} of sound: {out}", soft_wrap=True
    )
    if len(made.left_out) > 3:
        console.print(f"All that could not be read is listed in {out / 'sounds.json'}.", soft_wrap=True)
    place = "" if out == PLACE else f" {out}"
    console.print(f"Search it: hypertorus search{place} --audio FILE --report page.html", soft_wrap=True)


def search_sounds(
    place: Path, audio: Path, k: int, at: float | None, report: Path | None, *, not_itself: bool, as_json: bool
) -> None:
    """The clips that are most like a sound file, on the screen or as JSON, and as a page to look at and listen to."""
    from hypertorus.listen.index import SoundIndex

    index = SoundIndex.open(place)
    matches = index.search(audio, k, at=at, not_itself=not_itself)
    if report is not None:
        from hypertorus.files.atomic import replacing
        from hypertorus.report.sounds import sounds_page

        with bar("drawing") as progress:
            report.parent.mkdir(parents=True, exist_ok=True)
            page = sounds_page(index, audio, matches, at=at, progress=progress)
        with replacing(report) as file:
            file.write(page.encode())
    if as_json:
        found = [match._asdict() for match in matches]
        typer.echo(json.dumps({"query": str(audio), "folder": str(index.folder), "matches": found}))
        return
    console = _console()
    console.print(_table(audio, matches, at is None and index.has_several(audio)))
    console.print(f"distance: 0 is the same, 1 as far apart as can be, chance makes {index.chance:.2f}.")
    if report is not None:
        console.print(f"The page to look at: {report}", soft_wrap=True)


def _console() -> Console:
    """Names of files are printed as they are, brackets and colons and all."""
    return Console(highlight=False, markup=False, emoji=False)


def _table(audio: Path, matches: list[Match], several: bool) -> Table:
    from hypertorus.listen.windows import clock

    shown = Table(title=f"Most like {audio}", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
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


def _facts(made: SoundIndex, out: Path) -> dict[str, Any]:
    return {
        "folder": str(out),
        "recordings": str(made.folder),
        "files": len(made.windows.paths),
        "clips": len(made.index),
        "seconds": made.windows.seconds,
        "dim": made.index.dim,
        "bits": made.index.bits,
        "metric": made.index.metric,
        "left_out": list(made.left_out),
    }
