"""`hypertorus bench`: measures the cost of distances on microcontrollers, words on a chip, and search engines."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from hypertorus.cli.bench_engines import engines
from hypertorus.cli.bench_words import words
from hypertorus.cli.options import AsJson, Csv
from hypertorus.cli.rows import write_csv
from hypertorus.files.console import plain_console
from hypertorus.files.progress import bar

if TYPE_CHECKING:
    from hypertorus.boards import Board
    from hypertorus.boards.bench import Cost

app = typer.Typer(
    help="Measure distances on microcontrollers, words on a chip, and search engines.", no_args_is_help=True
)
app.command()(engines)
app.command()(words)


@app.command()
def firmware(
    board: Annotated[
        list[str] | None, typer.Option(help="Board to measure, once or more.", show_default="all installed simulators")
    ] = None,
    as_json: AsJson = False,
    to_csv: Csv = None,
) -> None:
    """Measure the cost of a distance on microcontrollers, and the memory of 100 classes, next to other methods.

    The torus has 64 coordinates of 8, 4, 2 and 1 bits; the other methods are dot products of bytes and of floats, and a
    product quantiser. Boards run in simulators, which count cycles on the ATmega and instructions on the others.

    Example: hypertorus bench firmware --board cortex-m4
    """
    from hypertorus.boards.bench import measure
    from hypertorus.boards.bench.record import record

    boards = _boards(board)
    with bar("building and running") as progress:
        costs = measure(boards, progress=progress)
    if as_json:
        named = "".join(f" --board {name}" for name in board or ())
        typer.echo(json.dumps(record(f"hypertorus bench firmware{named} --json", boards, costs), indent=2))
    else:
        for name, rows in groupby(costs, key=lambda cost: cost.board):
            plain_console().print(_table(next(each for each in boards if each.name == name), list(rows)))
    if to_csv:
        write_csv(to_csv, [cost.as_dict() for cost in costs])


def _boards(names: list[str] | None) -> list[Board]:
    from hypertorus.boards import BOARDS

    counting = {name: board for name, board in BOARDS.items() if board.unit != "nothing"}
    if unknown := set(names or ()) - set(counting):
        raise ValueError(f"--board is {min(unknown)!r}; choose one of {', '.join(counting)}.")
    if names:
        return [counting[name] for name in names]
    for board in counting.values():
        if missing := board.missing_tools():
            typer.echo(f"{board.name} is skipped: it needs {', '.join(missing)} (make setup-firmware).", err=True)
    installed = [board for board in counting.values() if not board.missing_tools()]
    if not installed:
        raise FileNotFoundError(
            "no board can be simulated here; install the compilers and simulators: make setup-firmware"
        )
    return installed


def _table(board: Board, costs: list[Cost]) -> Table:
    shown = Table(title=board.chip, title_justify="left", caption_justify="left", box=SIMPLE_HEAD)
    shown.caption = (
        f"bytes: size of a stored class. from RAM, from flash: {board.unit} of one distance to a class there. "
        f"a query: {board.unit} that each query takes once. flash, RAM: bytes for 100 classes, with machine code."
    )
    shown.add_column("method", no_wrap=True)
    for column in ("bytes", "from RAM", "from flash", "a query", "flash", "RAM"):
        shown.add_column(column, justify="right")
    for cost in costs:
        times = (f"{number:,}" for number in (cost.stored, cost.from_ram, cost.from_flash))
        sizes = ("too large", "") if cost.flash is None else (f"{cost.flash:,}", f"{cost.ram:,}")
        shown.add_row(cost.method, *times, f"{cost.once:,}" if cost.once else "-", *sizes)
    return shown
