"""Runs an experiment of the paper at one scale, and keeps its table, its figures and how they were made.

It goes on where it was stopped; the table that is kept has what has run so far.

python -m benchmarks.paper demo              # minutes
python -m benchmarks.paper small             # up to three hours on two cores; CIFAR archives in $HYPERTORUS_DATA
python -m benchmarks.paper small birdsong    # under an hour; recordings in $HYPERTORUS_DATA
python -m benchmarks.paper small text        # a quarter of an hour; vectors of sentences in $HYPERTORUS_DATA
"""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path

from benchmarks.machine import write_result
from hypertorus.cli import paper
from hypertorus.paper.all_experiments import KINDS, experiment
from hypertorus.paper.all_figures import FIGURES, figures_of
from hypertorus.paper.experiments.table import OK, runs_of
from hypertorus.report.style import save

KEPT = {"images": ["storage", "precision", "quantised"], "birdsong": figures_of("birdsong"), "text": ["storage"]}
STEMS = {"images": "paper", "birdsong": "birdsong", "text": "text"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scale", choices=("demo", "small"))
    parser.add_argument("experiment", choices=KINDS, nargs="?", default="images")
    parser.add_argument("--only", default="", help="runs with all of these words")
    parser.add_argument("--work", type=Path, help="folder for the models [build/paper-SCALE]")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the results")
    options = parser.parse_args()
    work = options.work or Path("build") / f"paper-{options.scale}"
    begun = time.monotonic()
    paper.run(options.experiment, scale=options.scale, out=work, only=options.only)
    seconds = time.monotonic() - begun
    done = experiment(options.experiment, options.scale, work)
    stem = options.out / f"{STEMS[options.experiment]}-{options.scale}"
    for name in KEPT[options.experiment]:
        save(FIGURES[name].draw(done), stem.with_name(f"{stem.name}-{name.removeprefix('birdsong-')}.png"))
    shutil.copyfile(done.table.path, stem.with_suffix(".csv"))
    runs = runs_of(done.table)
    result = {
        "runs": len(runs),
        "of": len(done.scale.cases),
        "failed": sum(row["status"] != OK for row in runs),
        "training_seconds": sum(row["seconds"] or 0 for row in runs),
        "seconds_of_this_sitting": seconds,
    }
    words = [options.scale, *([options.experiment] if options.experiment != "images" else [])]
    command = f"python -m benchmarks.paper {' '.join(words)}" + (f" --only {options.only!r}" if options.only else "")
    write_result(stem.with_suffix(".json"), command, result)


if __name__ == "__main__":
    main()
