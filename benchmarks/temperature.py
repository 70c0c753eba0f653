"""Which temperature suits each space: heads at several temperatures, by the best code of each size.

    python -m benchmarks.temperature packages_minilm.npz cifar100 --json results/temperature.json

Takes files of vectors with labels, or names of image sets, whose features are those of EfficientNet-Lite0. Only
training inputs are used, some of them as queries, and seeds that no other record has, so that a default can be chosen
by this.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import torch

from benchmarks.machine import write_result
from hypertorus.codes import quantiser
from hypertorus.datasets import Data, Part, read_data
from hypertorus.evaluation import evaluate_split
from hypertorus.models.model import load
from hypertorus.paper.claims.soft import BYTES
from hypertorus.training import run_training
from hypertorus.training.frozen import features_of
from hypertorus.training.prepare import build_model
from hypertorus.training.settings import Settings

SPACES = {"sphere": ("8bit", "4bit-sigma", "2bit-sigma", "1bit-sigma"), "torusN": ("8bit", "4bit", "2bit", "1bit")}
"""The spaces, torusN with soft training, and the codes that suit each best."""
TEMPERATURES = (0.1, 0.15, 0.2)
DIMS = (32, 64, 128)
SEEDS = (7, 8)
TRAINED, QUERIES, EPOCHS = 12_000, 3_000, 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+", help="files of vectors with labels, cifar10 or cifar100")
    parser.add_argument("--features", type=Path, default=Path("build/features"), help="folder for features of images")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    for name in options.data:
        data = split(name, options.features)
        for space in SPACES:
            for temperature in TEMPERATURES:
                rows.append({"data": data.name, "space": space, "temperature": temperature})
                rows[-1] |= best_codes(data, space, temperature)
                print(rows[-1], flush=True)
    if options.json:
        names = " ".join(Path(name).name for name in options.data)
        write_result(options.json, f"python -m benchmarks.temperature {names} --json {options.json}", rows)


def split(name: str, folder: Path) -> Data:
    """Return vectors of training inputs, shuffled: some to train on and to search among, and some to search for."""
    data = read_data(name)
    vectors: Part = data.train
    if len(data.train.shape) > 1:
        vectors = features_of(build_model(data, Settings(encoder="efficientnet-lite0")), data.train, folder)
    order = torch.randperm(len(vectors), generator=torch.Generator().manual_seed(0)).tolist()
    train, queries = vectors.take(order[:TRAINED]), vectors.take(order[-QUERIES:])
    return Data(data.name, train, queries, data.classes)


def best_codes(data: Data, space: str, temperature: float) -> dict[str, Any]:
    """Return the precision at 1 of floats by numbers, and of the best code by bytes, as means over the seeds."""
    floats: dict[str, list[float]] = defaultdict(list)
    codes: dict[tuple[int, str], list[float]] = defaultdict(list)
    for dim in DIMS:
        for seed in SEEDS:
            settings = Settings(
                space=space, dim=dim, encoder="none", epochs=EPOCHS, temperature=temperature, seed=seed, validation=0.0
            )
            for name, size, precision in measured(data, settings):
                if size is None:
                    floats[str(dim)].append(precision)
                elif size in BYTES:
                    codes[size, f"{dim} {name}"].append(precision)
    best = {size: max(_mean(values) for key, values in codes.items() if key[0] == size) for size in BYTES}
    return {"floats": {dim: _mean(values) for dim, values in floats.items()}, "bytes": best}


def measured(data: Data, settings: Settings) -> list[tuple[str, int | None, float]]:
    """Train a head; return each way to store it, its bytes and its precision at 1."""
    with tempfile.TemporaryDirectory() as folder:
        run_training(data, settings, Path(folder) / "model", show=False)
        model = load(Path(folder) / "model")
    raw = [model.rows(model.raw, part) for part in (data.train, data.test)]
    labels = [part.labels.numpy() for part in (data.train, data.test)]
    found: list[tuple[str, int | None, float]] = []
    for name in ("none", *SPACES[settings.space]):
        made = None if name == "none" else quantiser(name, model.space)
        result = evaluate_split(raw[0], labels[0], raw[1], labels[1], model.space, made, agreement=False)
        found.append((name, None if made is None else int(result.bits_per_vector) // 8, result.precision_at_1))
    return found


def _mean(values: list[float]) -> float:
    return round(sum(values) / len(values), 4)


if __name__ == "__main__":
    main()
