"""Words on a chip: known, learned and rejected, on speakers never heard, by the chip's integers, and what it costs.

    python -m benchmarks.words SPOKEN_DIGITS --birds BIRDS225 --seeds 0 1 2 --json results/words.json

Three rotations of two held-out speakers are trained in build/words, and for the thresholds of each rotation four
networks more, each without one of its speakers. What is there is not trained again, and each run is written to the
record when it has been measured; runs of a record are not measured again, but for those of `--again`. `--listener` adds
flash, RAM and instructions from records of `python -m examples.listener.run --json`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import torch

from benchmarks.machine import write_result
from hypertorus.bench.bird_calls import KIND as BIRD_CALL
from hypertorus.bench.bird_calls import measured_calls
from hypertorus.bench.word_figure import plot
from hypertorus.bench.word_measures import measured, shares_for_strangers
from hypertorus.bench.word_models import KINDS, every_run
from hypertorus.bench.word_table import table

COMMAND = "python -m benchmarks.words spoken-digits/ --birds birds225/ --seeds 0 1 2 --json results/words.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of the Free Spoken Digit Dataset, a folder for each digit")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--work", type=Path, default=Path("build/words"), help="folder for the models")
    parser.add_argument("--trained", action="store_true", help="measure only runs that are trained already")
    parser.add_argument("--birds", type=Path, help="folder of bird calls, a folder for each species; needs birdnet")
    kinds = [*KINDS, BIRD_CALL]
    parser.add_argument("--kinds", choices=kinds, nargs="+", default=kinds, help="kinds of runs to measure")
    parser.add_argument("--again", choices=kinds, nargs="+", default=[], help="kinds of runs to measure again")
    parser.add_argument("--listener", type=Path, nargs="+", help="records of examples.listener.run --json")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    record = json.loads(options.json.read_text())["result"] if options.json and options.json.exists() else {}
    runs: list[dict[str, Any]] = [run for run in record.get("runs", []) if run["kind"] not in options.again]
    shares: dict[str, dict[str, float]] = {} if "learning" in options.again else record.get("shares", {})
    boards = [row for path in options.listener or () for row in json.loads(path.read_text())] or record.get(
        "listener", []
    )
    for run in (run for run in every_run(options.seeds) if run.kind in options.kinds):
        is_known = any((each["kind"], each.get("rotation"), each["seed"]) == run for each in runs)
        if is_known or (options.trained and not (options.work / run.name / "config.json").exists()):
            continue
        if run.new_words and str(run.rotation) not in shares:
            found = shares_for_strangers(options.folder, run.rotation, options.work, only_trained=options.trained)
            shares |= {str(run.rotation): found} if found else {}
        runs.append(measured(options.folder, run, options.work, shares.get(str(run.rotation))))
        print(runs[-1], flush=True)
        _write(options.json, runs, shares, boards)
    for seed in options.seeds if options.birds and BIRD_CALL in options.kinds else ():
        if not any((each["kind"], each["seed"]) == (BIRD_CALL, seed) for each in runs):
            runs.append(measured_calls(options.birds, seed, options.work))
            print(runs[-1], flush=True)
            _write(options.json, runs, shares, boards)
    _write(options.json, runs, shares, boards)
    if options.json:
        plot(runs, options.json.with_suffix(".png"))
    for row in table(runs, boards):
        print("  ".join(f"{name}: {value}" for name, value in row.items()))


def _write(path: Path | None, runs: list[dict[str, Any]], shares: dict[str, Any], boards: list[dict[str, Any]]) -> None:
    if path:
        result = {"table": table(runs, boards), "runs": runs, "shares": shares, "listener": boards}
        write_result(
            path,
            COMMAND,
            result,
        )


if __name__ == "__main__":
    main()
