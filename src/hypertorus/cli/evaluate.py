"""`hypertorus evaluate` and `quantisers`: measure embeddings and their codes, and list the cost of quantisers."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from hypertorus.cli.options import (
    AsJson,
    Csv,
    EmbeddingsFile,
    LabelsOfFile,
    MetricOfFile,
    SpaceName,
    SpaceOfFile,
    file_place,
)
from hypertorus.cli.reading import progress_with_warnings
from hypertorus.cli.rows import show_rows
from hypertorus.files.console import plain_console


def evaluate(
    file: EmbeddingsFile,
    space_name: SpaceOfFile = None,
    quantisers: Annotated[
        str | None,
        typer.Option(
            help="Quantisers to compare, separated by commas: none for floats, 8bit to 1bit, sign, pq8x4.",
            show_default="none,8bit,4bit,2bit,1bit; for codes, their bits and fewer",
        ),
    ] = None,
    labels: LabelsOfFile = None,
    test_share: Annotated[
        float | None,
        typer.Option(help="Share of each class to test on, if the file has no split of its own.", show_default="0.2"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Random seed of that split.", show_default="the seed of all splits")
    ] = None,
    metric: MetricOfFile = None,
    k: Annotated[int, typer.Option(help="Number of nearest neighbours for P@k and R@k.")] = 10,
    full: Annotated[bool, typer.Option("--full", help="Also measure R-precision and MAP@R.")] = False,
    asymmetric: Annotated[
        bool, typer.Option("--asymmetric", help="Leave queries as floats; for codes of a torus.")
    ] = False,
    as_json: AsJson = False,
    to_csv: Csv = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw precision against bits to this .png or .pdf.", callback=file_place, show_default=False),
    ] = None,
) -> None:
    """Measure how well nearest neighbours predict labels, as floats and as codes.

    Test rows are the queries, and training rows are searched, by the split of the file: for a file of `hypertorus
    embed` this gives the numbers that training measured. Without a split, a share of each class is set aside for
    testing, and rows of one recording stay together.

    Example: hypertorus evaluate digits.safetensors --plot bits.png

    Example: hypertorus evaluate embeddings.npz --space torusN --quantisers none,8bit,pq8x4
    """
    from hypertorus.embeddings import read_embeddings
    from hypertorus.embeddings.split import SEED
    from hypertorus.evaluation import evaluate as evaluate_record
    from hypertorus.evaluation import table

    record = read_embeddings(file, space=space_name, labels=labels)
    names = None if quantisers is None else [name.strip() for name in quantisers.split(",") if name.strip()]
    with progress_with_warnings("evaluating") as progress:
        evaluation = evaluate_record(
            record,
            names,
            metric=metric,
            k=k,
            full=full,
            asymmetric=asymmetric,
            test_share=test_share,
            seed=SEED if seed is None else seed,
            progress=progress,
        )
    footer = f"{evaluation.test:,} test rows among {evaluation.train:,} training rows."
    show_rows(evaluation.rows, table(evaluation), as_json=as_json, to_csv=to_csv, footer=footer)
    if plot:
        from hypertorus.report.bits import precision_by_bits
        from hypertorus.report.style import save

        save(precision_by_bits(evaluation.rows), plot)


def quantisers(
    dim: Annotated[int, typer.Option(help="Number of raw numbers in an embedding.")] = 64,
    space_name: SpaceName = "sphere",
    as_json: AsJson = False,
) -> None:
    """Show the cost of each quantiser of the paper: size of its codebook, bits, and number of codes.

    Example: hypertorus quantisers --dim 64 --space torusN
    """
    from hypertorus.codes import PAPER
    from hypertorus.codes.costs import COLUMNS, costs, costs_table
    from hypertorus.spaces import space

    home = space(space_name, dim)
    if as_json:
        typer.echo(json.dumps([asdict(cost) for cost in costs(PAPER, home)], indent=2))
        return
    table = Table(title=f"Quantisers of {home}", title_justify="left")
    for column in COLUMNS:
        table.add_column(column, justify="left" if column == "quantiser" else "right")
    for cells in costs_table(PAPER, home):
        table.add_row(*cells)
    plain_console().print(table)
