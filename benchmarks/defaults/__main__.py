"""Do the defaults of `hypertorus train` hold on data that nobody tuned them on? Precision at 1 on seven sets.

python -m benchmarks.defaults --data-folder FOLDER --choosing            # other settings, on training parts alone
python -m benchmarks.defaults --data-folder FOLDER --json results/defaults.json

The first command cuts a share off the training part of each set, tests there, and compares the defaults with other
settings; what it prints was used to choose them, with a seed that is not reported. The second trains with the defaults
alone and tests on the test parts, beside what needs no training: the inputs as they are, and their principal
components. For ready-made vectors it also trains as for other inputs, which was the default before. The precision of
each run is kept in the folder --work, and the run is not run again.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import torch

from benchmarks.defaults.sets import SETS, VECTORS, chosen_encoder, without_test
from benchmarks.machine import write_result
from hypertorus.datasets import Data
from hypertorus.training import Settings, run_training
from hypertorus.training.baselines import baselines
from hypertorus.training.parts import are_vectors

CHOOSING, SEEDS = 7, (0, 1)
"""The first of the seeds with which settings are chosen, and those that are reported, of other inputs the first."""
OTHERS: dict[str, dict[str, Any]] = {
    "linear head": {"head": "linear"},
    "proxies": {"proxies": 1.0},
    "learning rate 0.001": {"lr": 1e-3},
    "128 numbers": {"dim": 128},
    "batch 50": {"batch": 50},
}
"""Settings beside the defaults of images and sounds."""
HEADS: dict[str, dict[str, Any]] = {
    "as other inputs": {"encoder": "mlp"},
    "two-layer head": {"encoder": "none", "head": "two-layer"},
    "128 numbers": {"dim": 128},
    "512 numbers": {"dim": 512},
    "learning rate 0.0003": {"lr": 3e-4},
    "a fifth validates": {"validation": 0.2},
    "proxies": {"proxies": 1.0},
    "protoclr": {"loss": "protoclr"},
}
"""Settings beside the defaults of ready-made vectors."""


def runs(name: str, *, choosing: bool) -> dict[str, dict[str, Any]]:
    """Return the settings to train with on a set, by what they are called."""
    others = (HEADS if name in VECTORS else OTHERS) if choosing else {}
    before = {"as other inputs": HEADS["as other inputs"]} if name in VECTORS else {}
    return {"defaults": {}, **before, **others}


def measure(data: Data, given: dict[str, Any], seed: int) -> dict[str, Any]:
    """Train once, and return what was measured, as precision at 1 of the test part."""
    settings = Settings.chosen(vectors=are_vectors(data), seed=seed, **given)
    with tempfile.TemporaryDirectory() as folder:
        outcome = run_training(data, settings, Path(folder, "model"), show=False)
    assert outcome is not None
    without = baselines(data, settings.dim)
    return {
        "floats": round(outcome.test, 4),
        "8 bits": round(outcome.test_8bit, 4),
        "inputs": round(without.inputs, 4),
        "pca": round(without.pca, 4),
        "numbers": settings.dim,
        "best epoch": outcome.best_epoch,
        "epochs": outcome.epochs,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-folder", type=Path, required=True, help="folder that holds the sets")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--choosing", action="store_true", help="compare settings on the training parts; keep nothing")
    parser.add_argument("--work", type=Path, default=Path("build/defaults"), help="folder for what is complete")
    parser.add_argument("--complete", action="store_true", help="train nothing; take the runs that are complete")
    parser.add_argument("--json", type=Path, help="write the result to this file")
    options = parser.parse_args()
    torch.set_num_threads(1)
    result: dict[str, Any] = {}
    for name in options.sets:
        data = SETS[name](options.data_folder)
        data, own = without_test(data) if options.choosing else data, chosen_encoder(name, options.data_folder)
        result[name] = {"train": len(data.train), "test": len(data.test), "classes": len(data.classes), "runs": {}}
        seeds = (CHOOSING,) if options.choosing else SEEDS if name in VECTORS else SEEDS[:1]
        for what, given in runs(name, choosing=options.choosing).items():
            for seed in seeds:
                kept = options.work / f"{name}, {what}, seed {seed}.json"
                if options.complete and not kept.exists():
                    continue
                if not kept.exists():
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    kept.write_text(json.dumps(measure(data, {**own, **given}, seed)))
                result[name]["runs"].setdefault(what, {})[f"seed {seed}"] = json.loads(kept.read_text())
                print(f"{name:17} {what:22} seed {seed} {kept.read_text()}", flush=True)
    if options.json and not options.choosing:
        sets = "" if set(options.sets) == set(SETS) else f" --sets {' '.join(options.sets)}"
        write_result(options.json, f"python -m benchmarks.defaults --data-folder FOLDER{sets}", result)


if __name__ == "__main__":
    main()
