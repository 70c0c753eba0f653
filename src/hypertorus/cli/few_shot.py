"""`hypertorus few-shot`: measure how well a few examples of each class classify the rest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from hypertorus.cli.options import AsJson, Csv, EmbeddingsFile, LabelsOfFile, SpaceOfFile
from hypertorus.cli.rows import show_rows
from hypertorus.files.progress import bar

if TYPE_CHECKING:
    from hypertorus.codes import GridCodes
    from hypertorus.embeddings import Embeddings
    from hypertorus.evaluation import FewShot


def few_shot(
    file: EmbeddingsFile,
    space_name: SpaceOfFile = None,
    shots: Annotated[str, typer.Option(help="Numbers of examples per class, separated by commas.")] = "1,5",
    ways: Annotated[
        int | None, typer.Option(help="Number of classes in an episode.", show_default="all classes")
    ] = None,
    bits: Annotated[
        str | None,
        typer.Option(
            help="Bits per coordinate of codes to measure beside floats, separated by commas.",
            show_default="8,4,2 on a torus; for codes, their own",
        ),
    ] = None,
    episodes: Annotated[
        int | None, typer.Option(help="Number of episodes.", show_default="10, or 600 with --ways")
    ] = None,
    queries: Annotated[int, typer.Option(help="Maximum number of queries per class, with --ways.")] = 15,
    groups: Annotated[
        str | None,
        typer.Option(
            help="File with the group of each row, such as its recording; a group never has both examples and queries. "
            "The value none ignores groups.",
            show_default="groups or paths of the file",
        ),
    ] = None,
    one_per_group: Annotated[
        bool, typer.Option("--one-per-group", help="Use at most one row of each group in a class.")
    ] = False,
    lengths: Annotated[
        bool, typer.Option("--lengths", help="Keep the length of each coordinate of a prototype of codes, in 2 bits.")
    ] = False,
    labels: LabelsOfFile = None,
    part: Annotated[
        str | None,
        typer.Option(
            help="Part of the rows to use: train, test or all; all suits classes that were not trained on.",
            show_default="test, if the file has a split",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the episodes.")] = 0,
    as_json: AsJson = False,
    to_csv: Csv = None,
) -> None:
    """Measure how well a few examples of each class classify the rest, as floats and as codes.

    If the file has a split, only its test part is used unless --part says otherwise.

    Example: hypertorus few-shot birds.safetensors --shots 1,5 --ways 5 --bits 8
    """
    from dataclasses import replace

    import numpy as np

    from hypertorus.embeddings import read_embeddings
    from hypertorus.evaluation import few_shot as few_shot_one
    from hypertorus.files.arrays import read_column

    record = read_embeddings(file, space=space_name, labels=labels)
    if groups is not None:
        numbers = None if groups == "none" else np.unique(read_column(Path(groups), "groups"), return_inverse=True)[1]
        record = replace(record, groups=numbers)
    if part is None and record.parts is not None and "test" in record.parts:
        part = "test"
    if part not in (None, "all"):
        record = record.part(str(part))
    if record.labels is None:
        raise ValueError(f"{file} has no labels, so nothing can be measured; pass them with --labels.")
    rows = []
    cells = [(shot, grid) for shot in _numbers(shots, "--shots") for grid in _quantisers(record, bits)]
    with bar("drawing episodes") as progress:
        for done, (shot, grid) in enumerate(cells):
            progress(done, len(cells))
            row = few_shot_one(
                record.raw(),
                record.labels,
                record.home,
                grid,
                shots=shot,
                ways=ways,
                episodes=episodes,
                queries=queries,
                groups=record.groups,
                one_per_group=one_per_group,
                lengths=lengths and grid is not None,
                seed=seed,
            )
            rows.append(row)
    show_rows(rows, _table(rows), as_json=as_json, to_csv=to_csv)


def _quantisers(record: Embeddings, bits: str | None) -> list[GridCodes | None]:
    """Return the quantisers to measure: None for floats, unless the record has codes, and a grid for each depth."""
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
        raise ValueError(f"{option} is {text!r}; pass whole numbers separated by commas, such as 1,5.")
    return numbers


def _table(rows: list[FewShot]) -> Table:
    first = rows[0]
    title = f"space {first.space}, dim {first.dim}, {first.ways} classes, {first.episodes} episodes"
    caption = "±: 95 % interval of the mean. s.d.: of the episodes. chance: the accuracy of guessing."
    table = Table(title=title, caption=caption, box=SIMPLE_HEAD, pad_edge=False)
    table.title_justify = table.caption_justify = "left"
    for column in ("shots", "quantiser", "bits", "accuracy", "±", "s.d.", "chance"):
        table.add_column(column, justify="left" if column == "quantiser" else "right", no_wrap=True)
    for row in rows:
        numbers = (row.accuracy, row.interval, row.deviation, row.chance)
        table.add_row(str(row.shots), row.quantiser, str(row.bits_per_vector), *(f"{number:.3f}" for number in numbers))
    return table
