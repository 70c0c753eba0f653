"""What the training command costs: images a second and peak memory, beside a bare PyTorch loop of the same work.

Both take random 32 x 32 images in memory through the same two views, network (small), head, loss (SupCon + KoLeo),
batch and optimiser. The bare loop validates, logs and saves nothing, so only training steps are compared. Each runs in
a process of its own, in turn.

python -m benchmarks.training [--json results/training.json]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import torch

from benchmarks.machine import describe, write_result
from hypertorus.datasets import Data, InMemory
from hypertorus.losses import KoLeoLoss
from hypertorus.losses.views import ImageViews
from hypertorus.models.encoders import encoder
from hypertorus.models.model import Model

IMAGES, BATCH, EPOCHS, DIM = 4000, 200, 2, 64
SHAPE = (3, 32, 32)


def bare() -> float:
    """Images a second of the last epoch of a loop as one would write it."""
    from pytorch_metric_learning.losses import SupConLoss

    images, labels = random_images()
    model = Model(encoder("small", SHAPE), SHAPE, DIM, "torusN")
    optimiser = torch.optim.Adam(model.parameters(), 3e-3)
    views, supcon, koleo = ImageViews(), SupConLoss(0.1), KoLeoLoss()
    dice = torch.Generator().manual_seed(0)
    used = IMAGES * 9 // 10
    for _ in range(EPOCHS):
        began = time.perf_counter()
        for rows in torch.randperm(used, generator=dice).view(-1, BATCH):
            seen = torch.cat([views.view(images[rows], views.draw(BATCH, dice)) for _ in range(2)])
            points = model(seen)
            loss = supcon(points, labels[rows].repeat(2)) + 0.001 * koleo(points.view(2, BATCH, -1))
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_value_(model.parameters(), 100)
            optimiser.step()
        rate = used / (time.perf_counter() - began)
    return rate


def command() -> float:
    """Images a second of the last epoch of `hypertorus train`, by its own record."""
    from hypertorus.training import run_training
    from hypertorus.training.settings import Settings

    part = InMemory(*random_images())
    data = Data("random", part, part.take(range(100)), tuple(map(str, range(10))))
    with tempfile.TemporaryDirectory() as folder:
        run_training(data, Settings(dim=DIM, batch=BATCH, epochs=EPOCHS), Path(folder))
        last = (Path(folder) / "run" / "metrics.csv").read_text().splitlines()[-1]
    return float(last.split(",")[-1])


def random_images() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    return torch.randint(0, 256, (IMAGES, *SHAPE), dtype=torch.uint8), torch.arange(IMAGES) % 10


def measured(name: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.training", "--only", name], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the result to this file")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=("bare", "command"), help="measure one of them in this process")
    options = parser.parse_args()
    if options.only:
        rate = {"bare": bare, "command": command}[options.only]()
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"images_per_second": rate, "peak_megabytes": megabytes}))
        return
    rounds = [{name: measured(name) for name in ("bare", "command")} for _ in range(options.rounds)]
    ratios = [each["command"]["images_per_second"] / each["bare"]["images_per_second"] for each in rounds]
    print(f"{describe()}\n\nsmall network, 32 x 32 images, two views, batch {BATCH}, {options.rounds} rounds\n")
    for name in ("bare", "command"):
        rate, peak = (median(each[name][what] for each in rounds) for what in ("images_per_second", "peak_megabytes"))
        print(f"{name:8} {rate:8.0f} images/s, peak {peak:6.0f} MB")
    print(f"\ncommand / bare: {median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})")
    if options.json:
        write_result(options.json, "python -m benchmarks.training", {"ratio": median(ratios), "rounds": rounds})


if __name__ == "__main__":
    main()
