"""`hypertorus paper`: the paper's experiments, its figures, its claims, and a page of them all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from hypertorus._progress import bar
from hypertorus.search._threads import thread_count

if TYPE_CHECKING:
    from hypertorus.paper.experiments.run import Experiment
    from hypertorus.paper.experiments.scales import Case, Scale

app = typer.Typer(
    help="Run the paper's experiments, draw its figures, hold its claims against the results.", no_args_is_help=True
)

ScaleName = Annotated[
    str,
    typer.Option("--scale", help="demo: digits, in minutes. small: CIFAR, in hours. full: as in the paper, for a GPU."),
]
Results = Annotated[Path, typer.Option("--out", help="The folder of the table, the models and the page.")]
DataFolder = Annotated[
    Path | None, typer.Option(help="Where archives are.", envvar="HYPERTORUS_DATA", show_default="in the cache")
]


@app.command()
def run(
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
    """Train a grid of models and measure each with every quantiser, as the paper's experiments 1 and 2 do.

    Each run becomes rows of results.csv as it ends, and is not run again: to go on, give the same command.

    Example: hypertorus paper run --scale demo --out build/paper
    """
    grid = _scale(scale)
    wanted = [case for case in grid.cases if set(only.split()) <= set(str(case).split())]
    if not wanted:
        raise ValueError(f"--only is {only!r}, which no run of {scale} has; --dry-run lists them.")
    if dry_run:
        _list(wanted, grid, out, teraflops, price)
        return
    from hypertorus.learn.train import Hardware
    from hypertorus.paper.experiments.run import Experiment

    hardware = Hardware(device)
    at_once = jobs or (1 if hardware.gpu else thread_count(None))
    with bar(f"{len(wanted)} runs") as progress:
        Experiment(grid, out, data_folder, hardware).run(wanted, progress, processes=at_once)
    typer.echo(f"{len(wanted)} runs: {out / 'results.csv'}")


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
    from hypertorus.paper.figures import FIGURES
    from hypertorus.paper.results import RESULT_FIGURES
    from hypertorus.report.style import save

    if name in FIGURES:
        save(FIGURES[name](), to)
    elif name in RESULT_FIGURES:
        save(RESULT_FIGURES[name](_experiment(scale, out, data_folder)), to)
    else:
        raise ValueError(f"figure is {name!r}; there are {', '.join([*FIGURES, *RESULT_FIGURES])}.")
    typer.echo(to)


@app.command()
def report(scale: ScaleName = "demo", out: Results = Path("paper"), data_folder: DataFolder = None) -> None:
    """Write a page of all figures and tables, with what they say about the paper's claims.

    Example: hypertorus paper report --out build/paper
    """
    from hypertorus.paper.report import write_report

    with bar("drawing") as progress:
        page = write_report(_experiment(scale, out, data_folder), out, progress)
    Console().print(f"The page to look at: [bold]{page}[/bold]", highlight=False)


@app.command()
def claims(
    tables: Annotated[list[Path], typer.Argument(help="Tables of results, .csv.", show_default=False)],
    to: Annotated[Path, typer.Option(help="The Markdown file to write.", show_default=False)],
) -> None:
    """Hold every claim of the paper against tables of results, on one page.

    Example: hypertorus paper claims results/paper-demo.csv results/paper-small.csv --to docs/claims.md
    """
    from hypertorus.paper.claims.document import claims_document
    from hypertorus.paper.experiments.table import ResultTable
    from hypertorus.search.atomic import replacing

    for table in tables:
        if not table.exists():
            raise FileNotFoundError(f"{table} is not there; `hypertorus paper run` makes such a table.")
    command = f"hypertorus paper claims {' '.join(map(str, tables))} --to {to}"
    text = claims_document({table.stem: ResultTable(table).rows for table in tables}, command)
    with replacing(to) as file:
        file.write(text.encode())
    typer.echo(to)


def _scale(name: str) -> Scale:
    from hypertorus.paper.experiments.scales import SCALES

    if name not in SCALES:
        raise ValueError(f"--scale is {name}; there are {', '.join(SCALES)}.")
    return SCALES[name]


def _experiment(scale: str, out: Path, data_folder: Path | None) -> Experiment:
    from hypertorus.paper.experiments.run import Experiment

    if not (out / "results.csv").exists():
        raise FileNotFoundError(
            f"{out} has no results.csv; make it with: hypertorus paper run --scale {scale} --out {out}"
        )
    return Experiment(_scale(scale), out, data_folder)


def _list(cases: list[Case], scale: Scale, out: Path, teraflops: float, price: float) -> None:
    from hypertorus.paper.experiments.estimate import seconds_of
    from hypertorus.paper.experiments.table import ResultTable

    done = ResultTable(out / "results.csv")
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
