"""`hypertorus evaluate` and `quantisers`: what embeddings and their codes are worth, and what codes cost."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hypertorus.cli.reading import telling

SpaceName = Annotated[str, typer.Option("--space", help="Space of the embeddings: sphere, torusN or torusC.")]
SpaceOfFile = Annotated[
    str | None,
    typer.Option(
        "--space", help="Space of the rows of a plain file: sphere, torusN or torusC.", show_default="as the file says"
    ),
]


def evaluate(
    file: Annotated[
        str,
        typer.Argument(
            help="Embeddings or codes with labels, as `hypertorus embed` and `encode` write them; or .npz, .npy, .csv, "
            ".safetensors or .parquet with --space."
        ),
    ],
    space_name: SpaceOfFile = None,
    quantisers: Annotated[
        str | None,
        typer.Option(
            help="Quantisers to compare, with commas: none for floats, 8bit to 1bit, sign, pq8x4.",
            show_default="none,8bit,4bit,2bit,1bit; of codes, their bits and fewer",
        ),
    ] = None,
    labels: Annotated[Path | None, typer.Option(help="File with a label for each row: .npy or .txt.")] = None,
    test_share: Annotated[
        float | None,
        typer.Option(
            help="Share of each class to test on, if the file has no parts to train and to test on.", show_default="0.2"
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed that draws those rows.", show_default="the one of all splits")
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(help="How codes of a torus are compared: cosine, l1 or l2.", show_default="the file's, or cosine"),
    ] = None,
    k: Annotated[int, typer.Option(help="Number of neighbours that count for P@k and R@k.")] = 10,
    full: Annotated[bool, typer.Option("--full", help="Also measure R-precision and MAP@R.")] = False,
    asymmetric: Annotated[
        bool, typer.Option("--asymmetric", help="Leave queries as floats; for product codes.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
    to_csv: Annotated[Path | None, typer.Option("--csv", help="Write the rows to this file.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw precision against bits to this .png or .pdf.")] = None,
) -> None:
    """Measure how well neighbours tell labels, as floats and as codes.

    Test rows are searched for among training rows, by the split that the file holds: on what `hypertorus embed` wrote
    this gives the numbers that training measured. Without parts, a share of each class is set aside, and rows of one
    recording stay together.

    Example: hypertorus evaluate digits.safetensors --plot bits.png

    Example: hypertorus evaluate embeddings.npz --space torusN --quantisers none,8bit,pq8x4
    """
    from hypertorus.embeddings import read_embeddings
    from hypertorus.embeddings.split import SEED
    from hypertorus.evaluation import evaluate as evaluate_record
    from hypertorus.evaluation import table

    record = read_embeddings(file, space=space_name, labels=labels)
    names = None if quantisers is None else [name.strip() for name in quantisers.split(",") if name.strip()]
    with telling("evaluating") as progress:
        measured = evaluate_record(
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
    if as_json:
        typer.echo(json.dumps([row.as_dict() for row in measured], indent=2))
    else:
        Console().print(table(measured))
        typer.echo(f"{measured.test:,} test rows among {measured.train:,} training rows.")
    if to_csv:
        write_csv(to_csv, [row.as_dict() for row in measured])
    if plot:
        from hypertorus.report.bits import precision_by_bits
        from hypertorus.report.style import save

        save(precision_by_bits(measured.rows), plot)


def quantisers(
    dim: Annotated[int, typer.Option(help="How many raw numbers an embedding has.")] = 64,
    space_name: SpaceName = "sphere",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
) -> None:
    """Show what each quantiser of the paper costs: its codebook, its bits, how many codes there are.

    Example: hypertorus quantisers --dim 64 --space torusN
    """
    from hypertorus.codes import PAPER
    from hypertorus.codes.costs import COLUMNS, costs, costs_table
    from hypertorus.spaces import space

    here = space(space_name, dim)
    if as_json:
        typer.echo(json.dumps([asdict(cost) for cost in costs(PAPER, here)], indent=2))
        return
    shown = Table(title=f"Quantisers of {here}", title_justify="left")
    for column in COLUMNS:
        shown.add_column(column, justify="left" if column == "quantiser" else "right")
    for cells in costs_table(PAPER, here):
        shown.add_row(*cells)
    Console().print(shown)


def write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    from hypertorus.files.atomic import replacing

    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    with replacing(path) as file:
        file.write(text.getvalue().encode())
