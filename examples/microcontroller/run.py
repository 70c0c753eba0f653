"""The digits classifier on microcontrollers: trained, exported, built, run under simulators, compared with Python.

python -m examples.microcontroller.run                        # every board, one after the other
python -m examples.microcontroller.run --board atmega328p     # one of them
python -m examples.microcontroller.run --record               # and keep the numbers in results/
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import write_result
from examples.microcontroller.experiments import Experiment, nine_and_one, ten_digits
from hypertorus.boards import BOARDS, Board
from hypertorus.boards.reference import NEW, reference
from hypertorus.boards.trial import Trial, trial

PROGRAM = Path(__file__).with_name("main.c")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--board", action="append", choices=BOARDS, help="one or several; without it all but host")
    parser.add_argument("--work", type=Path, default=Path("build/firmware"), help="folder for models and programs")
    digits = list("0123456789")
    parser.add_argument("--held-out", choices=digits, nargs="+", default=["9"], help="digits to learn on the device")
    parser.add_argument("--record", action="store_true", help="write results/firmware-digits.json and .csv")
    options = parser.parse_args()
    boards = [BOARDS[name] for name in options.board or [name for name in BOARDS if name != "host"]]
    if missing := sorted({package for board in boards for package in board.missing_tools()}):
        sys.exit(f"not installed: {' '.join(missing)}; run: make setup-firmware")
    experiments = [ten_digits(options.work), *(nine_and_one(options.work, digit) for digit in options.held_out)]
    rows = []
    for experiment in experiments:
        exports = {
            target: experiment.export(target, options.work) for target in {board.target: None for board in boards}
        }
        rows += [row(board, experiment, exports[board.target], options.work) for board in boards]
    print(table(rows))
    if options.record:
        command = f"python -m examples.microcontroller.run --held-out {' '.join(options.held_out)} --record"
        record(rows, boards, command, Path("results/firmware-digits.json"))
    if wrong := sum(row["unlike Python"] for row in rows):
        sys.exit(f"{wrong} answers are not Python's.")


def row(board: Board, experiment: Experiment, export: Path, work: Path) -> dict[str, Any]:
    """What one board made of an experiment: ticks are means, `ms at most` is of the slowest image, whole."""
    folder = work / board.name / experiment.model.name
    done = trial(board, export, PROGRAM, experiment.images, experiment.lessons, work=folder)
    told = [experiment.held_out if answer.label == NEW else answer.label for answer in done.after or done.before]
    right = np.array(told) == experiment.labels
    new = experiment.labels == experiment.held_out
    costs = done.costs
    slowest = costs["encode"].most + costs["classify"].most
    return {
        "experiment": experiment.name,
        "board": board.name,
        "images": len(right),
        "unlike Python": unlike_python(done, experiment),
        "accuracy": round(float(right.mean()), 4),
        "of the learned": round(float(right[new].mean()), 4) if new.any() else None,
        "unit": board.unit,
        "encode": round(costs["encode"].mean),
        "distance": round(costs["nearest"].mean / len(experiment.made.prototypes.stored.codes)),
        "classify": round(costs["classify"].mean),
        "learn": round(costs["learn"].mean) if "learn" in costs else None,
        "ms at most": round(1000 * slowest / board.hertz, 2) if board.hertz else None,
        "flash": done.flash,
        "variables": done.variables,
        "stack": done.stack,
    }


def unlike_python(done: Trial, experiment: Experiment) -> int:
    """How many answers, label and distance, are not those of the integer reference."""
    pairs = [(done.before, reference(experiment.made, experiment.images))]
    if len(experiment.lessons):
        pairs.append((done.after, reference(experiment.made, experiment.images, experiment.lessons)))
    return sum(one != other for found, expected in pairs for one, other in zip(found, expected, strict=True))


def table(rows: list[dict[str, Any]]) -> str:
    lines = [list(rows[0]), *(["" if value is None else str(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)) for line in lines)


def record(rows: list[dict[str, Any]], boards: list[Board], command: str, path: Path) -> None:
    tools = {package: version for board in boards for package, version in board.versions().items()}
    write_result(path, command, {"tools": tools, "runs": rows})
    with path.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
