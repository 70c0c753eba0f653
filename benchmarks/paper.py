"""The paper's grid at a scale, and what came of it, kept: table, figures, and how it was made.

It goes on where it was stopped; the table that is kept has what has run so far.

python -m benchmarks.paper demo     # minutes
python -m benchmarks.paper small    # up to three hours on two cores; CIFAR archives in $HYPERTORUS_DATA
"""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path

from benchmarks.machine import write_result
from hypertorus.cli import paper
from hypertorus.paper.experiments.images.run import ImageExperiment
from hypertorus.paper.experiments.images.scales import SCALES
from hypertorus.paper.results import RESULT_FIGURES
from hypertorus.report.style import save

KEPT = ("storage", "precision", "quantised")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scale", choices=("demo", "small"))
    parser.add_argument("--only", default="", help="runs with all of these words")
    parser.add_argument("--work", type=Path, help="folder for the models [build/paper-SCALE]")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the results")
    options = parser.parse_args()
    work = options.work or Path("build") / f"paper-{options.scale}"
    begun = time.monotonic()
    paper.run("images", scale=options.scale, out=work, only=options.only)
    seconds = time.monotonic() - begun
    experiment = ImageExperiment(SCALES[options.scale], work)
    stem = options.out / f"paper-{options.scale}"
    for name in KEPT:
        save(RESULT_FIGURES[name](experiment), stem.with_name(f"{stem.name}-{name}.png"))
    shutil.copyfile(experiment.table.path, stem.with_suffix(".csv"))
    runs = [row for row in experiment.table if row["quantiser"] == "none"]
    result = {
        "runs": len(runs),
        "of": len(SCALES[options.scale].cases),
        "failed": sum(row["status"] != "ok" for row in runs),
        "training_seconds": sum(row["seconds"] or 0 for row in runs),
        "seconds_of_this_sitting": seconds,
    }
    command = f"python -m benchmarks.paper {options.scale}" + (f" --only {options.only!r}" if options.only else "")
    write_result(stem.with_suffix(".json"), command, result)


if __name__ == "__main__":
    main()
