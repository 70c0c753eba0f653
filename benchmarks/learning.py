"""Does it learn? The training command on real data, in each space, with its curves.

A run whose folder is finished is not run again, and one that was stopped goes on.

torusN is trained as published, torusN-soft as by default.

python -m benchmarks.learning digits      # seconds
python -m benchmarks.learning cifar10     # up to half an hour a space on two cores; archives in $HYPERTORUS_DATA
"""

from __future__ import annotations

import argparse
import csv
import json
import shlex
import subprocess
import sys
from pathlib import Path

from benchmarks.machine import write_result
from hypertorus.paper.experiments.grid import SOFT, SPACES
from hypertorus.report.curves import curves, read_curve
from hypertorus.report.style import save

OPTIONS = {"digits": "", "cifar10": "--loss protoclr --epochs 16"}
RUNS = {
    "digits": (("sphere", 16), ("torusN", 16), ("torusC", 16), (SOFT, 16)),
    "cifar10": tuple((space, dim) for dim in (128, 256) for space in ("sphere", "torusN", SOFT)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", choices=RUNS)
    parser.add_argument("--work", type=Path, default=Path("build/learning"), help="folder for the models")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the results")
    options = parser.parse_args()
    outcomes, runs = {}, {}
    for space, dim in RUNS[options.data]:
        chosen = " ".join(f"--{name} {value}" for name, value in SPACES[space].items())
        command = f"hypertorus train {options.data} {chosen} --dim {dim} {OPTIONS[options.data]}".rstrip()
        model = options.work / f"{options.data}-{space}-{dim}"
        if not (model / "run" / "results.json").exists():
            program = Path(sys.executable).with_name("hypertorus")
            subprocess.run([program, *shlex.split(command)[1:], "--out", model], check=True)
        outcome = json.loads((model / "run" / "results.json").read_text())
        outcomes[f"{command} --out model/"] = outcome
        runs[f"{space} {dim}"] = read_curve(model / "run" / "metrics.csv")
        print(f"{command}: test {outcome['test']:.3f}, 8-bit {outcome['test_8bit']:.3f}, {outcome['seconds']:.0f} s")
    stem = options.out / f"learning-{options.data}"
    write_result(stem.with_suffix(".json"), f"python -m benchmarks.learning {options.data}", outcomes)
    save(curves(runs), stem.with_suffix(".png"))
    with stem.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["run", *next(iter(runs.values()))[0]])
        for name, rows in runs.items():
            writer.writerows([name, *(f"{value:g}" for value in row.values())] for row in rows)


if __name__ == "__main__":
    main()
