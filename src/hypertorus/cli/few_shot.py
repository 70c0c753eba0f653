"""`hypertorus few-shot`: how well a few examples of a class tell the rest of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from hypertorus.cli.evaluate import SpaceName, write_csv
from hypertorus.files.progress import bar

if TYPE_CHECKING:
    from hypertorus.evaluate import FewShot


def few_shot(
    file: Annotated[
        Path, typer.Argument(help="Embeddings with labels: .npz, .npy, .csv or .safetensors; of parts, the test part.")
    ],
    space_name: SpaceName = "torusN",
    shots: Annotated[str, typer.Option(help="How many examples of a class are shown, with commas.")] = "1,5",
    ways: Annotated[int | None, typer.Option(help="How many classes an episode has; all unless given.")] = None,
    bits: Annotated[str | None, typer.Option(help="Also as codes, with commas; on a torus 8,4,2 unless given.")] = None,
    episodes: Annotated[int | None, typer.Option(help="How many; 10 of all classes, else 600, unless given.")] = None,
    queries: Annotated[int, typer.Option(help="With --ways, how many rows of a class are asked for at most.")] = 15,
    groups: Annotated[
        str | None,
        typer.Option(
            help="Rows never to be shown and asked for: an .npy, or an array of the .npz; `path` to its last _."
        ),
    ] = None,
    one_per_group: Annotated[bool, typer.Option("--one-per-group", help="Use one row of each group.")] = False,
    labels: Annotated[Path | None, typer.Option(help="The labels of an .npy file, as .npy.")] = None,
    seed: Annotated[int, typer.Option(help="Which episodes are drawn.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
    to_csv: Annotated[Path | None, typer.Option("--csv", help="Write the rows to this file.")] = None,
) -> None:
    """Measure how well a few examples of a class tell the rest of it, as floats and as codes alone.

    Example: hypertorus few-shot birds.npz --space torusN --shots 1,5 --ways 5 --bits 8 --groups path
    """
    from hypertorus.codes import GridCodes
    from hypertorus.evaluate import few_shot as few_shot_one
    from hypertorus.evaluate.labelled import Labelled, read_groups, read_labelled
    from hypertorus.spaces import Torus, space

    found = read_labelled(file, labels)
    data = found if isinstance(found, Labelled) else Labelled(found.test, found.test_labels)
    here = space(space_name, int(data.rows.shape[-1]))
    depths = _numbers(bits, "--bits") if bits is not None else [8, 4, 2] if isinstance(here, Torus) else []
    forms = [None, *(GridCodes(here, depth) for depth in depths)]
    cells = [(shot, form) for shot in _numbers(shots, "--shots") for form in forms]
    belong = None if groups is None else read_groups(file, groups)
    rows = []
    with bar("drawing episodes") as progress:
        for done, (shot, form) in enumerate(cells):
            progress(done, len(cells))
            row = few_shot_one(
                *data,
                here,
                form,
                shots=shot,
                ways=ways,
                episodes=episodes,
                queries=queries,
                groups=belong,
                one_per_group=one_per_group,
                seed=seed,
            )
            rows.append(row)
    if as_json:
        typer.echo(json.dumps([row.as_dict() for row in rows], indent=2))
    else:
        Console().print(_table(rows))
    if to_csv:
        write_csv(to_csv, [row.as_dict() for row in rows])


def _numbers(text: str, option: str) -> list[int]:
    try:
        numbers = [int(piece) for piece in text.split(",") if piece.strip()]
    except ValueError:
        numbers = []
    if not numbers:
        raise ValueError(f"{option} is {text!r}; give whole numbers with commas between them, such as 1,5.")
    return numbers


def _table(rows: list[FewShot]) -> Table:
    first = rows[0]
    title = f"space {first.space}, dim {first.dim}, {first.ways} classes, {first.episodes} episodes"
    caption = "±: 95 % interval of the mean. s.d.: of the episodes. chance: the accuracy of guessing."
    shown = Table(title=title, caption=caption, box=SIMPLE_HEAD, pad_edge=False)
    shown.title_justify = shown.caption_justify = "left"
    for column in ("shots", "quantiser", "bits", "accuracy", "±", "s.d.", "chance"):
        shown.add_column(column, justify="left" if column == "quantiser" else "right", no_wrap=True)
    for row in rows:
        numbers = (row.accuracy, row.interval, row.deviation, row.chance)
        shown.add_row(str(row.shots), row.quantiser, str(row.bits_per_vector), *(f"{number:.3f}" for number in numbers))
    return shown
