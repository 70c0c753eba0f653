"""`hypertorus paper`: runs the paper's experiments, draws its figures, checks its claims, and writes a page of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from hypertorus.cli.options import DataFolder, Device, file_place
from hypertorus.files.console import plain_console
from hypertorus.files.progress import bar
from hypertorus.paper.all_figures import FIGURES, figure_named
from hypertorus.training.settings import HARDWARE

if TYPE_CHECKING:
    from hypertorus.paper.experiments.experiment import Experiment
    from hypertorus.paper.experiments.grid import Case
    from hypertorus.paper.experiments.table import Row

app = typer.Typer(help="Run the paper's experiments, draw its figures and check its claims.", no_args_is_help=True)

ScaleName = Annotated[
    str,
    typer.Option(
        "--scale",
        help="Scale: demo (digits and chirps, in minutes), small (in hours) or full (as in the paper, on a GPU).",
    ),
]
Results = Annotated[Path, typer.Option("--out", help="Folder of the results table, the models and the page.")]


@app.command()
def run(
    experiment: Annotated[
        str, typer.Argument(help="Experiment: images (1 and 2 of the paper), birdsong (3) or text (beyond it).")
    ] = "images",
    scale: ScaleName = "demo",
    out: Results = Path("paper"),
    only: Annotated[
        str, typer.Option(help="Run only the cases with all of these words, such as 'cifar10 torusN dim64 seed0'.")
    ] = "",
    data_folder: DataFolder = None,
    device: Device = "auto",
    jobs: Annotated[
        int,
        typer.Option(help="Number of runs at a time; 0 means one per core, or one on a GPU.", rich_help_panel=HARDWARE),
    ] = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the runs with their time and cost, and stop.")
    ] = False,
    teraflops: Annotated[float, typer.Option(help="Training speed of the GPU in TFLOP/s that --dry-run assumes.")] = 5,
    price: Annotated[float, typer.Option(help="Price of an hour of the GPU that --dry-run assumes.")] = 1.5,
) -> None:
    """Train a grid of models and measure each with every quantiser, as the paper's experiments do.

    A run adds its rows to results.csv when it ends and is not repeated, so the same command resumes.

    Example: hypertorus paper run birdsong --scale demo --out build/paper
    """
    from hypertorus.files.threads import thread_count
    from hypertorus.paper.all_experiments import experiment as named
    from hypertorus.training import Hardware

    hardware = Hardware(device)
    chosen = named(experiment, scale, out, data_folder, hardware)
    cases = [case for case in chosen.scale.cases if set(only.split()) <= set(str(case).split())]
    if not cases:
        raise ValueError(f"--only is {only!r}, which matches no run of {scale}; --dry-run lists the runs.")
    if dry_run:
        _list(cases, chosen, teraflops, price)
        return
    at_once = jobs or (1 if hardware.gpu else thread_count(None))
    with bar(f"{len(cases)} runs") as progress:
        chosen.run(cases, progress, processes=at_once)
    typer.echo(f"{len(cases)} runs: {chosen.table.path}")


@app.command()
def figure(
    name: Annotated[str, typer.Argument(help=f"Name of the figure: {', '.join(FIGURES)}.", show_default=False)],
    to: Annotated[
        Path, typer.Option(help="Image file to write, .png or .pdf.", callback=file_place, show_default=False)
    ],
    scale: ScaleName = "demo",
    out: Results = Path("paper"),
    data_folder: DataFolder = None,
) -> None:
    """Draw one figure of the paper; figures of results need the table that `hypertorus paper run` writes.

    Example: hypertorus paper figure distances --to distances.png
    """
    from hypertorus.report.style import save

    chosen = figure_named(name)
    experiment = _ran(chosen.experiment, scale, out, data_folder) if chosen.experiment else None
    save(chosen.draw(experiment), to)
    typer.echo(to)


@app.command()
def report(scale: ScaleName = "demo", out: Results = Path("paper"), data_folder: DataFolder = None) -> None:
    """Write a page of all figures and tables, with the paper's claims checked against them.

    Birdsong is included if it was run with the same --out.

    Example: hypertorus paper report --out build/paper
    """
    from hypertorus.paper.all_experiments import experiment
    from hypertorus.paper.report import write_report

    images, birdsong = _ran("images", scale, out, data_folder), experiment("birdsong", scale, out, data_folder)
    with bar("drawing") as progress:
        page = write_report(images, out, birdsong if birdsong.table.path.exists() else None, progress)
    plain_console().print(f"The page to look at: {page}")


@app.command()
def claims(
    tables: Annotated[list[Path], typer.Argument(help="Tables of results, as .csv files.", show_default=False)],
    to: Annotated[Path, typer.Option(help="Markdown file to write.", callback=file_place, show_default=False)],
) -> None:
    """Check every claim of the paper against tables of results, and write a page of them.

    Example: hypertorus paper claims results/paper-demo.csv results/paper-small.csv --to docs/claims.md
    """
    from hypertorus.files.atomic import replacing
    from hypertorus.paper.all_experiments import KINDS
    from hypertorus.paper.claims.document import claims_document
    from hypertorus.paper.experiments.table import ResultTable, header_of

    results: dict[str, dict[str, list[Row]]] = {name: {} for name in KINDS}
    for table in tables:
        if not table.exists():
            raise FileNotFoundError(f"{table} does not exist; create it with `hypertorus paper run`.")
        header = header_of(table)
        kind = next((name for name in KINDS if KINDS[name].experiment.columns.names == header), "images")
        results[kind][table.stem] = ResultTable(table, KINDS[kind].experiment.columns).rows
    command = f"hypertorus paper claims {' '.join(map(str, tables))} --to {to}"
    with replacing(to) as file:
        file.write(claims_document(results["images"], results["birdsong"], command).encode())
    typer.echo(to)


def _ran(name: str, scale: str, out: Path, data_folder: Path | None) -> Experiment:
    from hypertorus.paper.all_experiments import experiment

    chosen = experiment(name, scale, out, data_folder)
    if not chosen.table.path.exists():
        raise FileNotFoundError(
            f"{chosen.out} has no results.csv; create it with: hypertorus paper run {name} --scale {scale} --out {out}"
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
    console = plain_console()
    console.print(shown)
    console.print(f"To do: about {left / 3600:.1f} hours, one run at a time, before early stopping.")
    if not scale.seconds:
        console.print(
            f"Assumed: {teraflops:g} TFLOP/s in training and {price:g} an hour, so {price * left / 3600:.0f} in all.",
        )
