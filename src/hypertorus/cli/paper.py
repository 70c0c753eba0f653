"""`hypertorus paper`: the paper's experiments, its figures, its claims, and a page of them all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from hypertorus.files.progress import bar

if TYPE_CHECKING:
    from hypertorus.paper.experiments.experiment import Experiment
    from hypertorus.paper.experiments.grid import Case
    from hypertorus.paper.experiments.table import Row

app = typer.Typer(
    help="Run the paper's experiments, draw its figures, hold its claims against the results.", no_args_is_help=True
)

ScaleName = Annotated[
    str,
    typer.Option(
        "--scale", help="demo: digits and chirps, in minutes. small: in hours. full: as in the paper, for a GPU."
    ),
]
Results = Annotated[Path, typer.Option("--out", help="The folder of the table, the models and the page.")]
DataFolder = Annotated[
    Path | None, typer.Option(help="Where archives are.", envvar="HYPERTORUS_DATA", show_default="in the cache")
]


@app.command()
def run(
    experiment: Annotated[
        str, typer.Argument(help="images, which is experiments 1 and 2, or birdsong, which is 3.")
    ] = "images",
    scale: ScaleName = "demo",
    out: Results = Path("paper"),
    only: Annotated[str, typer.Option(help="Runs with all of these words, such as 'cifar10 torusN dim64 seed0'.")] = "",
    data_folder: DataFolder = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or mps.")] = "auto",
    jobs: Annotated[int, typer.Option(help="Runs at a time; 0: one for each core, one on a GPU.")] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the runs, with time and cost.")] = False,
    teraflops: Annotated[float, typer.Option(help="Assumed speed of the GPU in training, for --dry-run.")] = 5,
    price: Annotated[float, typer.Option(help="Assumed price of an hour of it, for --dry-run.")] = 1.5,
) -> None:
    """Train a grid of models and measure each with every quantiser, as the paper's experiments do.

    Each run becomes rows of results.csv as it ends, and is not run again: to go on, give the same command.

    Example: hypertorus paper run birdsong --scale demo --out build/paper
    """
    from hypertorus.files.threads import thread_count
    from hypertorus.paper.experiments.by_name import experiment as named
    from hypertorus.train import Hardware

    hardware = Hardware(device)
    chosen = named(experiment, scale, out, data_folder, hardware)
    wanted = [case for case in chosen.scale.cases if set(only.split()) <= set(str(case).split())]
    if not wanted:
        raise ValueError(f"--only is {only!r}, which no run of {scale} has; --dry-run lists them.")
    if dry_run:
        _list(wanted, chosen, teraflops, price)
        return
    at_once = jobs or (1 if hardware.gpu else thread_count(None))
    with bar(f"{len(wanted)} runs") as progress:
        chosen.run(wanted, progress, processes=at_once)
    typer.echo(f"{len(wanted)} runs: {chosen.table.path}")


@app.command()
def figure(
    name: Annotated[str, typer.Argument(help="Which; a wrong name lists them.", show_default=False)],
    to: Annotated[Path, typer.Option(help="The .png or .pdf file to draw.", show_default=False)],
    scale: ScaleName = "demo",
    out: Results = Path("paper"),
    data_folder: DataFolder = None,
) -> None:
    """Draw one figure of the paper; those of results need a table that `hypertorus paper run` made.

    Example: hypertorus paper figure distances --to distances.png
    """
    from hypertorus.paper.drawing import draw
    from hypertorus.report.style import save

    save(draw(name, lambda experiment: _ran(experiment, scale, out, data_folder)), to)
    typer.echo(to)


@app.command()
def report(scale: ScaleName = "demo", out: Results = Path("paper"), data_folder: DataFolder = None) -> None:
    """Write a page of all figures and tables, with what they say about the paper's claims.

    Birdsong is on it if it was run with the same --out.

    Example: hypertorus paper report --out build/paper
    """
    from hypertorus.paper.experiments.by_name import experiment
    from hypertorus.paper.report import write_report

    images, birdsong = _ran("images", scale, out, data_folder), experiment("birdsong", scale, out, data_folder)
    with bar("drawing") as progress:
        page = write_report(images, out, birdsong if birdsong.table.path.exists() else None, progress)
    Console().print(f"The page to look at: [bold]{page}[/bold]", highlight=False)


@app.command()
def claims(
    tables: Annotated[list[Path], typer.Argument(help="Tables of results, .csv.", show_default=False)],
    to: Annotated[Path, typer.Option(help="The Markdown file to write.", show_default=False)],
) -> None:
    """Hold every claim of the paper against tables of results, on one page.

    Example: hypertorus paper claims results/paper-demo.csv results/paper-small.csv --to docs/claims.md
    """
    from hypertorus.files.atomic import replacing
    from hypertorus.paper.claims.document import claims_document
    from hypertorus.paper.experiments.by_name import KINDS
    from hypertorus.paper.experiments.table import ResultTable, header_of

    found: dict[str, dict[str, list[Row]]] = {name: {} for name in KINDS}
    for table in tables:
        if not table.exists():
            raise FileNotFoundError(f"{table} is not there; `hypertorus paper run` makes such a table.")
        header = header_of(table)
        kind = next((name for name in KINDS if KINDS[name].of.columns.names == header), "images")
        found[kind][table.stem] = ResultTable(table, KINDS[kind].of.columns).rows
    command = f"hypertorus paper claims {' '.join(map(str, tables))} --to {to}"
    with replacing(to) as file:
        file.write(claims_document(found["images"], found["birdsong"], command).encode())
    typer.echo(to)


def _ran(name: str, scale: str, out: Path, data_folder: Path | None) -> Experiment:
    from hypertorus.paper.experiments.by_name import experiment

    chosen = experiment(name, scale, out, data_folder)
    if not chosen.table.path.exists():
        raise FileNotFoundError(
            f"{chosen.out} has no results.csv; make it with: hypertorus paper run {name} --scale {scale} --out {out}"
        )
    return chosen


def _list(cases: list[Case], chosen: Experiment, teraflops: float, price: float) -> None:
    from hypertorus.paper.experiments.estimate import seconds_of

    done, scale = chosen.table, chosen.scale
    shown = Table(title=f"{len(cases)} runs", title_justify="left")
    for column in ("data", "trained", "space", "dim", "KoLeo", "seed", "state", "minutes"):
        shown.add_column(column, justify="right" if column in ("dim", "KoLeo", "seed", "minutes") else "left")
    left = 0.0
    for case in cases:
        seconds = seconds_of(case, scale, done, teraflops)
        cells = (case.data, case.trained, case.space, str(case.dim), f"{case.koleo:g}", str(case.seed))
        shown.add_row(*cells, "done" if case in done else "to do", f"{seconds / 60:.1f}")
        left += 0 if case in done else seconds
    console = Console()
    console.print(shown)
    console.print(f"To do: about {left / 3600:.1f} hours, one run at a time, before early stopping.", highlight=False)
    if not scale.seconds:
        console.print(
            f"Assumed: {teraflops:g} TFLOP/s in training and {price:g} an hour, so {price * left / 3600:.0f} in all.",
            highlight=False,
        )
