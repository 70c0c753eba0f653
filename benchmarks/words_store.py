"""Cost of learning, scoring and saving words on simulated microcontrollers: ten words of 32 angles of 8 bits.

    python -m benchmarks.words_store --json results/words-store.json    # the command of docs/words-on-a-chip.md

Cycles are counted on the ATmega, and instructions on the others. What cannot be simulated here is left out.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from hypertorus.boards import BOARDS
from hypertorus.boards.bench import measure_words
from hypertorus.boards.bench.record import record
from hypertorus.files.atomic import replacing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--board", action="append", choices=[name for name in BOARDS if name != "host"])
    parser.add_argument("--json", type=Path, help="File to write the record to.")
    options = parser.parse_args()
    asked = [BOARDS[name] for name in options.board or BOARDS if BOARDS[name].unit != "nothing"]
    boards = [board for board in asked if options.board or not board.missing_tools()]
    costs = measure_words(boards)
    if not costs:
        sys.exit("no board can be simulated here; install the compilers and simulators: make setup-firmware")
    table = Table(*costs[0].as_dict())
    for cost in costs:
        table.add_row(*(f"{cell:,}" if isinstance(cell, int) else cell for cell in cost.as_dict().values()))
    Console().print(table)
    if options.json:
        command = shlex.join(["python", "-m", "benchmarks.words_store", *sys.argv[1:]])
        with replacing(options.json) as file:
            file.write((json.dumps(record(command, boards, costs), indent=2) + "\n").encode())


if __name__ == "__main__":
    main()
