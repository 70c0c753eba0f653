"""Words on a chip: known, learned and rejected, on speakers never heard, by the chip's integers, and what it costs.

    python -m benchmarks.words SPOKEN_DIGITS --json results/words.json

Three rotations of two held-out speakers are trained in build/words. A run that is there is not trained again, and each
is written to the record when it has been measured. `--listener` adds flash, RAM and instructions from the record of
`python -m examples.listener.run --json`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import torch

from benchmarks.machine import write_result
from hypertorus.bench.word_figure import plot
from hypertorus.bench.word_measures import measured
from hypertorus.bench.word_models import every_run
from hypertorus.bench.word_table import table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of the Free Spoken Digit Dataset, a folder for each digit")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--work", type=Path, default=Path("build/words"), help="folder for the models")
    parser.add_argument("--trained", action="store_true", help="measure only runs that are trained already")
    parser.add_argument("--listener", type=Path, help="record of examples.listener.run --json")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    record = json.loads(options.json.read_text())["result"] if options.json and options.json.exists() else {}
    runs: list[dict[str, Any]] = record.get("runs", [])
    boards = json.loads(options.listener.read_text()) if options.listener else record.get("listener", [])
    for run in every_run(options.seeds):
        out = options.work / run.name
        is_known = any((each["kind"], each["rotation"], each["seed"]) == run for each in runs)
        if is_known or (options.trained and not (out / "config.json").exists()):
            continue
        runs.append(measured(options.folder, run, out))
        print(runs[-1], flush=True)
        _write(options.json, runs, boards)
    _write(options.json, runs, boards)
    if options.json:
        plot(runs, options.json.with_suffix(".png"))
    for row in table(runs, boards):
        print("  ".join(f"{name}: {value}" for name, value in row.items()))


def _write(path: Path | None, runs: list[dict[str, Any]], boards: list[dict[str, Any]]) -> None:
    if path:
        result = {"table": table(runs, boards), "runs": runs, "listener": boards}
        write_result(path, "python -m benchmarks.words spoken-digits/ --json results/words.json", result)


if __name__ == "__main__":
    main()
