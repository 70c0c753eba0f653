"""Measures methods: each is built and run once to count a distance, and built once more to measure its size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypertorus.boards import Board, Program
from hypertorus.boards.bench.methods import METHODS, Method
from hypertorus.export.headers import header_files
from hypertorus.files.progress import Progress

CLASSES = 100
_SOURCES = Path(__file__).parent / "c"
_NOTHING = Method("nothing", "NOTHING", 64, stored=4, ram=4)


@dataclass(frozen=True)
class Cost:
    """Cost of one method on one board.

    `from_ram` and `from_flash` are one distance in `unit` to a vector in RAM or in flash, and `once` is the work that a
    query needs once. The rest are bytes for 100 classes: `constants` and `variables` by arithmetic, `flash` with the
    machine code and `ram` without the stack as linked, less those of a program that compares nothing; None if it does
    not fit.
    """

    board: str
    unit: str
    method: str
    dim: int
    stored: int
    from_ram: int
    from_flash: int
    once: int
    constants: int
    flash: int | None
    variables: int
    ram: int | None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def measure(
    boards: Iterable[Board],
    methods: Iterable[Method] = tuple(METHODS.values()),
    progress: Progress = lambda _done, _total: None,
) -> list[Cost]:
    """Return the cost of every method on every board."""
    boards, methods = list(boards), list(methods)
    costs: list[Cost] = []
    with TemporaryDirectory() as folder:
        for board in boards:
            empty = _build(board, "nearest.c", _NOTHING, Path(folder))
            for method in methods:
                progress(len(costs), len(boards) * len(methods))
                costs.append(_cost(board, method, empty, Path(folder)))
    return costs


def _cost(board: Board, method: Method, empty: Program, folder: Path) -> Cost:
    ticks = _ticks(_build(board, "cost.c", method, folder).run())
    constants, flash, ram = method.flash(CLASSES), None, None
    if constants <= board.flash and method.ram <= board.ram:
        full = _build(board, "nearest.c", method, folder)
        flash, ram = full.flash - empty.flash + _NOTHING.flash(CLASSES), full.ram - empty.ram + _NOTHING.ram
    return Cost(
        board.name,
        board.unit,
        method.name,
        method.dim,
        method.stored,
        ticks["ram"],
        ticks["flash"],
        ticks.get("once", 0),
        constants,
        flash,
        method.ram,
        ram,
    )


def _build(board: Board, source: str, method: Method, folder: Path) -> Program:
    defines: dict[str, str | int] = {"METHOD": method.c, "DIM": method.dim, "CLASSES": CLASSES}
    out = folder / board.name / f"{Path(source).stem}-{method.c}-{method.dim}.elf"
    return board.build([_SOURCES / source], [header_files()[0].parent], out, defines)


def _ticks(printed: str) -> dict[str, int]:
    numbers = {name: int(number) for name, number in map(str.split, printed.splitlines())}
    if numbers["ram-distance"] != numbers["flash-distance"]:
        raise RuntimeError(f"the distances from RAM and from flash differ:\n{printed}")
    return numbers
