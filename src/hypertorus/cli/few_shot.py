"""`hypertorus few-shot`: how well a few examples of a class tell the rest of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from hypertorus.cli.evaluate import SpaceOfFile, write_csv
from hypertorus.files.progress import bar

if TYPE_CHECKING:
    from hypertorus.codes import GridCodes
    from hypertorus.embeddings import Embeddings
    from hypertorus.evaluation import FewShot


def few_shot(
    file: Annotated[
        str,
        typer.Argument(
            help="Embeddings or codes with labels, as `hypertorus embed` and `encode` write them; or .npz, .npy, .csv, "
            ".safetensors or .parquet with --space. Of a file with parts, the test part is used."
        ),
    ],
    space_name: SpaceOfFile = None,
    shots: Annotated[str, typer.Option(help="Numbers of examples of a class to learn from, with commas.")] = "1,5",
    ways: Annotated[
        int | None, typer.Option(help="Number of classes in an episode.", show_default="all classes")
    ] = None,
    bits: Annotated[
        str | None,
        typer.Option(
            help="Bit depths of codes to measure beside floats, with commas.",
            show_default="8,4,2 on a torus; of codes, their own",
        ),
    ] = None,
    episodes: Annotated[
        int | None, typer.Option(help="Number of episodes.", show_default="10 of all classes, else 600")
    ] = None,
    queries: Annotated[int, typer.Option(help="Largest number of queries of a class, with --ways.")] = 15,
    groups: Annotated[
        str | None,
        typer.Option(
            help="File with a group for each row, such as its recording; an example and a query are never of one "
            "group. `none` ignores groups.",
            show_default="the file's groups or paths",
        ),
    ] = None,
    one_per_group: Annotated[bool, typer.Option("--one-per-group", help="Use one row of each group.")] = False,
    labels: Annotated[Path | None, typer.Option(help="File with a label for each row: .npy or .txt.")] = None,
    seed: Annotated[int, typer.Option(help="Seed that draws the episodes.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
    to_csv: Annotated[Path | None, typer.Option("--csv", help="Write the rows to this file.")] = None,
) -> None:
    """Measure how well a few examples of a class tell the rest of it, as floats and as codes alone.

    Example: hypertorus few-shot birds.safetensors --shots 1,5 --ways 5 --bits 8
    """
    from dataclasses import replace

    import numpy as np

    from hypertorus.embeddings import read_embeddings
    from hypertorus.evaluation import few_shot as few_shot_one
    from hypertorus.files.arrays import read_column

    record = read_embeddings(file, space=space_name, labels=labels)
    if groups is not None:
        given = None if groups == "none" else np.unique(read_column(Path(groups), "groups"), return_inverse=True)[1]
        record = replace(record, groups=given)
    if record.parts is not None and "test" in record.parts:
        record = record.part("test")
    if record.labels is None:
        raise ValueError(f"{file} has no labels, so nothing can be measured; pass them with --labels.")
    rows = []
    cells = [(shot, form) for shot in _numbers(shots, "--shots") for form in _forms(record, bits)]
    with bar("drawing episodes") as progress:
        for done, (shot, form) in enumerate(cells):
            progress(done, len(cells))
            row = few_shot_one(
                record.raw(),
                record.labels,
                record.home,
                form,
                shots=shot,
                ways=ways,
                episodes=episodes,
                queries=queries,
                groups=record.groups,
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


def _forms(record: Embeddings, bits: str | None) -> list[GridCodes | None]:
    """Floats, where there are any, and codes of each depth."""
    from hypertorus.codes import GridCodes
    from hypertorus.spaces import Torus

    torus = isinstance(record.home, Torus)
    if record.kind == "codes":
        own = int(record.bits or 8)
        depths = [own] if bits is None else _numbers(bits, "--bits")
        if deeper := [depth for depth in depths if depth > own]:
            raise ValueError(f"--bits is {deeper[0]}, but these codes have {own}; pass at most as many.")
        return [GridCodes(record.home, depth) for depth in depths]
    depths = _numbers(bits, "--bits") if bits is not None else [8, 4, 2] if torus else []
    return [None, *(GridCodes(record.home, depth) for depth in depths)]


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
