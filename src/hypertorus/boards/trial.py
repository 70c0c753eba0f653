"""Runs an export on a board: inputs are stored in flash, answers come from the serial port, and costs are counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from hypertorus.boards import Board, Program
from hypertorus.boards.reference import Answer

_SPARE = 512
"""Bytes of flash by which a program may grow with the number of inputs, without the inputs themselves."""


class Cost(NamedTuple):
    """Mean and maximum cost of a call in the board's unit."""

    mean: float
    most: int


@dataclass(frozen=True)
class Trial:
    """Answers before a class was learned and after (empty without lessons), and their costs.

    `flash` does not count the inputs. `ram` is the variables and the largest stack.
    """

    before: list[Answer]
    after: list[Answer]
    costs: dict[str, Cost]
    flash: int
    variables: int
    stack: int

    @property
    def ram(self) -> int:
        return self.variables + self.stack


def trial(
    board: Board,
    export: Path,
    program: Path,
    inputs: npt.NDArray[Any],
    lessons: npt.NDArray[Any] | None = None,
    *,
    work: Path,
    optimise: str = "-O2",
) -> Trial:
    """Build `program` (examples/microcontroller/main.c or the like) with an export and run it on inputs [n, numbers].

    If the inputs do not all fit into flash, the program is built and run several times, each time with some of them.
    """
    lessons = inputs[:0] if lessons is None else lessons

    def build(part: npt.NDArray[Any], folder: Path) -> Program:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "images.h").write_text(images_header(part, lessons))
        sources, includes = [program, export / "src" / "model.c"], [folder, export / "src"]
        return board.build(sources, includes, folder / "program.elf", optimise=optimise)

    smallest = build(inputs[:2], work / "two")
    most = max(2, 2 + (board.flash - smallest.flash - _SPARE) // inputs.shape[1])
    rounds = []
    for first in range(0, len(inputs), most):
        part = inputs[first : first + most]
        built = build(part, work / f"round{first // most}")
        rounds.append(_round(built, part.nbytes + lessons.nbytes, built.run(timeout=300)))
    return _together(rounds)


def images_header(inputs: npt.NDArray[Any], lessons: npt.NDArray[Any]) -> str:
    """Return `images.h` with inputs [n, numbers] to classify, and inputs of the same kind to learn from."""
    lines = [f"#define IMAGES {len(inputs)}", f"#define LESSONS {len(lessons)}", '#include "model.h"']
    for name, rows in (("images", inputs), ("lessons", lessons)):
        if len(rows):
            lines.append(f"static const ht_input {name}[{len(rows)}][HT_INPUTS] HYPERTORUS_FLASH = {{")
            lines += ["{" + ",".join(map(str, row.tolist())) + "}," for row in rows]
            lines.append("};")
    return "\n".join(lines) + "\n"


class _Round(NamedTuple):
    looks: list[list[Answer]]
    costs: dict[str, tuple[int, int, int]]
    program: Program
    inputs: int
    stack: int


def _round(built: Program, input_bytes: int, text: str) -> _Round:
    answers, _, costs = text.partition("costs\n")
    looks = [
        [Answer(label, int(distance)) for label, distance in (line.rsplit(" ", 1) for line in look.splitlines())]
        for look in answers.split("images\n")[1:]
    ]
    numbers = {name: tuple(map(int, rest)) for name, *rest in map(str.split, costs.splitlines())}
    (stack,) = numbers.pop("stack")
    return _Round(
        looks, {name: (calls, total, most) for name, (calls, total, most) in numbers.items()}, built, input_bytes, stack
    )


def _together(rounds: Sequence[_Round]) -> Trial:
    costs = {}
    for name in rounds[0].costs:
        calls, totals, most = zip(*(part.costs[name] for part in rounds), strict=True)
        if sum(calls):
            costs[name] = Cost(sum(totals) / sum(calls), max(most))
    looks: list[list[Answer]] = [
        [answer for part in rounds for answer in part.looks[n]] for n in range(len(rounds[0].looks))
    ]
    return Trial(
        before=looks[0],
        after=looks[1] if len(looks) > 1 else [],
        costs=costs,
        flash=max(part.program.flash - part.inputs for part in rounds),
        variables=max(part.program.ram for part in rounds),
        stack=max(part.stack for part in rounds),
    )
