"""`hypertorus evaluate`, `encode` and `quantisers`: what codes are worth, codes to a file, what codes cost."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hypertorus.files.progress import bar

if TYPE_CHECKING:
    from hypertorus.spaces import Space

SpaceName = Annotated[str, typer.Option("--space", help="Where the embeddings live: sphere, torusN or torusC.")]


def evaluate(
    file: Annotated[Path, typer.Argument(help="Embeddings with labels: .npz, .npy, .csv or .safetensors.")],
    space_name: SpaceName = "torusN",
    quantisers: Annotated[str, typer.Option(help="Which to compare, with commas.")] = "none,8bit,4bit,2bit,1bit",
    labels: Annotated[Path | None, typer.Option(help="The labels of an .npy file, as .npy.")] = None,
    test_share: Annotated[float, typer.Option(help="Share of rows to test on, if the file has no test part.")] = 0.2,
    seed: Annotated[int, typer.Option(help="Which rows those are.")] = 0,
    metric: Annotated[str, typer.Option(help="How codes of a torus are compared: cosine, l1 or l2.")] = "cosine",
    k: Annotated[int, typer.Option(help="How many neighbours count for P@k and R@k.")] = 10,
    full: Annotated[bool, typer.Option("--full", help="Also R-precision and MAP@R.")] = False,
    asymmetric: Annotated[bool, typer.Option("--asymmetric", help="Quantise no queries; for product codes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
    to_csv: Annotated[Path | None, typer.Option("--csv", help="Write the rows to this file.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw precision against bits to this .png or .pdf.")] = None,
) -> None:
    """Measure how well neighbours tell labels, as floats and as codes.

    Example: hypertorus evaluate embeddings.npz --space torusN --quantisers none,8bit,pq8x4 --plot bits.png
    """
    from hypertorus.cli.embeddings import read_split
    from hypertorus.codes import quantiser
    from hypertorus.evaluate import evaluate as evaluate_one
    from hypertorus.evaluate import table
    from hypertorus.spaces import space

    split = read_split(file, labels, test_share, seed)
    names = [name.strip() for name in quantisers.split(",") if name.strip()]
    here = space(space_name, int(split.train.shape[-1]))
    rows = []
    with bar("evaluating") as progress:
        for done, name in enumerate(names):
            progress(done, len(names))
            made = None if name == "none" else quantiser(name, here)
            row = evaluate_one(*split, here, made, metric=metric, k=k, full=full, asymmetric=asymmetric)
            rows.append(row)
    if as_json:
        typer.echo(json.dumps([row.as_dict() for row in rows], indent=2))
    else:
        Console().print(table(rows))
    if to_csv:
        write_csv(to_csv, [row.as_dict() for row in rows])
    if plot:
        from hypertorus.report.bits import precision_by_bits
        from hypertorus.report.style import save

        save(precision_by_bits(rows), plot)


def encode(
    file: Annotated[Path, typer.Argument(help="Raw numbers, or points, or turns of torusC: .npy or .csv.")],
    out: Annotated[Path, typer.Option(help="The .npy file for the codes.")],
    space_name: SpaceName = "torusN",
    bits: Annotated[int, typer.Option(help="Bits a coordinate, 1 to 8.")] = 8,
) -> None:
    """Turn embeddings into grid codes, one byte a coordinate.

    Example: hypertorus encode raw.npy --space torusN --bits 8 --out codes.npy
    """
    if out.suffix != ".npy":
        raise ValueError(f"--out is {out}; codes are written as .npy.")
    import numpy as np

    from hypertorus.codes import GridCodes
    from hypertorus.evaluate.labelled import read_rows
    from hypertorus.files.atomic import replacing
    from hypertorus.spaces import Torus, space

    rows, _ = read_rows(file)
    here = space(space_name, int(rows.shape[-1]))
    if not isinstance(here, Torus):
        raise ValueError(f"--space is {space_name}; a fixed grid needs a torus, torusN or torusC.")  # noqa: TRY004
    codes = GridCodes(here, bits).encode(rows)
    with replacing(out) as target:
        np.save(target, codes, allow_pickle=False)
    typer.echo(f"{len(codes):,} codes of {codes.shape[1]} coordinates x {bits} bits: {out}")


def quantisers(
    dim: Annotated[int, typer.Option(help="How many raw numbers an embedding has.")] = 64,
    space_name: SpaceName = "sphere",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
) -> None:
    """Show what each quantiser of the paper costs: its codebook, its bits, how many codes there are.

    Example: hypertorus quantisers --dim 64 --space torusN
    """
    from hypertorus.codes import PAPER
    from hypertorus.spaces import space

    here = space(space_name, dim)
    rows = [_cost(name, here) for name in PAPER]
    if as_json:
        typer.echo(json.dumps([row for row in rows if row], indent=2))
        return
    shown = Table(title=f"Quantisers of {here}", title_justify="left")
    for column in ("quantiser", "codebook, numbers", "bits a vector", "possible values"):
        shown.add_column(column, justify="left" if column == "quantiser" else "right")
    for name, row in zip(PAPER, rows, strict=True):
        cells = ("-", "-", "does not divide") if row is None else _cells(row)
        shown.add_row(name, *cells)
    Console().print(shown)


def _cost(name: str, here: Space) -> dict[str, int | str] | None:
    from hypertorus.codes import quantiser

    try:
        made = quantiser(name, here)
    except ValueError:
        return None
    return {"quantiser": name, "codebook_size": made.codebook_size, "bits_per_vector": made.bits_per_vector}


def _cells(row: dict[str, int | str]) -> tuple[str, str, str]:
    bits = int(row["bits_per_vector"])
    digits = bits * math.log10(2)
    values = f"{2**bits:,}" if bits <= 16 else f"{10 ** (digits % 1):.1f}e{int(digits)}"
    return f"{row['codebook_size']:,}", f"{bits:,}", values


def write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    from hypertorus.files.atomic import replacing

    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    with replacing(path) as file:
        file.write(text.getvalue().encode())
