"""Measuring: each method is built and run once to count a distance, and built once more to see what it occupies."""

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
    """One method on one board.

    First the call of a distance in `unit`, to a vector in RAM and to one in flash, and what is done `once` for a query.
    Then bytes for 100 classes: `constants` and `variables` by arithmetic, `flash` with the machine code and `ram`
    without the stack as the linker has them, less those of a program that compares nothing; None where they do not fit.
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
    """The cost of every method on every board."""
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
    told = {what: int(number) for what, number in map(str.split, printed.splitlines())}
    if told["ram-distance"] != told["flash-distance"]:
        raise RuntimeError(f"a distance from RAM is not that from flash:\n{printed}")
    return told
