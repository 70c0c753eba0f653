"""Words by speakers never heard: trains the network for keywords on spoken digits, three rotations of two speakers.

    python -m benchmarks.words_training SPOKEN_DIGITS --json results/words-training.json    # half an hour on one core

A word is known by the nearest of ten prototypes, each the circular mean of the 8-bit codes of the training speakers.
Settings are those of `hypertorus train --encoder keyword`; docs/learn.md says by which
speakers they were chosen. Each run is written when it ends, and runs that a record has are not run again.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

import hypertorus as ht
from benchmarks.machine import write_result
from hypertorus.datasets.sound_folder import read_sound_folder

ROTATIONS = (("george", "jackson"), ("lucas", "nicolas"), ("theo", "yweweler"))
"""The speakers that each rotation holds out; the other four are learnt from."""
SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class Trained:
    """A model, the data of its rotation, and who spoke in each part."""

    model: ht.Model
    data: ht.Data
    train_speakers: tuple[str, ...]
    held_out: tuple[str, ...]


def train_rotation(folder: Path, held_out: tuple[str, ...], out: Path, **settings: Any) -> Trained:
    """Train on the speakers of a folder that are not held out; `settings` are those of `ht.train`.

    `data.train` has the words of the training speakers and `data.test` those of the others. A second call with the same
    arguments returns the model that is in `out`.
    """
    data, speakers = rotation(folder, held_out)
    model = ht.train(data, out, **{"encoder": "keyword", "show": False, **settings})
    return Trained(model, data, speakers, held_out)


def rotation(folder: Path, held_out: tuple[str, ...]) -> tuple[ht.Data, tuple[str, ...]]:
    """Return the words split by speakers, and the speakers that are learnt from."""
    sounds = read_sound_folder(folder)
    whole, _, ear = sounds.inputs({"kind": "keyword"})
    assert whole.columns.names is not None
    speakers = np.array([Path(name).stem.rpartition("_")[0] for name in whole.columns.names.tolist()])
    aside = np.isin(speakers, held_out)
    train, test = whole.take(np.flatnonzero(~aside)), whole.take(np.flatnonzero(aside))
    return ht.Data(sounds.name, train, test, sounds.classes, ear), tuple(sorted(set(speakers[~aside].tolist())))


def precision(trained: Trained) -> float:
    """Return the share of held-out words whose nearest prototype is that of their word."""
    train, test = (trained.model.encode(part) for part in (trained.data.train, trained.data.test))
    prototypes = ht.CodePrototypes(bits=8).fit(train, trained.data.train.labels.numpy())
    return float((prototypes.predict(test) == trained.data.test.labels.numpy()).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of the Free Spoken Digit Dataset, a folder for each digit")
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    command = shlex.join(["python", "-m", "benchmarks.words_training", "spoken-digits/", *sys.argv[2:]])
    runs = _runs_of(options.json)
    for seed in options.seeds:
        for held_out in ROTATIONS:
            if any((run["held_out"], run["seed"]) == (list(held_out), seed) for run in runs):
                continue
            runs.append(measure(options.folder, held_out, seed))
            print(runs[-1], flush=True)
            if options.json:
                mean = float(np.mean([run["precision"] for run in runs]))
                write_result(options.json, command, {"mean": mean, "runs": runs})


def measure(folder: Path, held_out: tuple[str, ...], seed: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as out:
        trained = train_rotation(folder, held_out, Path(out) / "model", seed=seed)
    weights = sum(weight.numel() for weight in trained.model.parameters() if weight.ndim > 1)
    facts = {name: trained.model.training_facts[name] for name in ("views", "epochs", "dim")}
    return {"held_out": list(held_out), "seed": seed, "precision": precision(trained), "weights": weights, **facts}


def _runs_of(record: Path | None) -> list[dict[str, Any]]:
    """Return the runs of a record, which are not run again."""
    if record is None or not record.exists():
        return []
    runs: list[dict[str, Any]] = json.loads(record.read_text())["result"]["runs"]
    return runs


if __name__ == "__main__":
    main()
