"""What a space costs: forward and backward of each projection against `F.normalize`, alone and in a training step.

torusN is measured hard, as published, and soft, as it is trained by default; the last line is soft over hard.

    python -m benchmarks.projections [--json results/projections.json]

Every round times all contestants in turn, and the ratio is taken within the round, so that a slow moment of a shared
machine hits all of them; printed is the median ratio over the rounds.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.machine import describe, write_result
from hypertorus import TorusN, space

Step = Callable[[], object]
NAMES = ("sphere", "torusN", "torusC")
SOFT = "torusN, soft"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the result to this file")
    parser.add_argument("--threads", type=int, default=1, help="torch threads (default: 1)")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    rows = {
        "512 x 128": ratios(projections(512, 128), rounds=600),
        "4096 x 512": ratios(projections(4096, 512), rounds=60),
        "training step": ratios(training_steps(), rounds=200),
    }
    print(f"{describe()}, {arguments.threads} thread(s)\n")
    print("forward + backward, times the cost of F.normalize")
    print(f"{'':16}" + "".join(f"{name:>18}" for name in ("F.normalize", "pairs by F.norm.", *NAMES, SOFT)))
    for label, row in rows.items():
        print(f"{label:16}" + "".join(f"{row.get(name, float('nan')):>18.2f}" for name in CONTESTANTS))
    print("\nsoft torusN over hard: " + ", ".join(f"{label} {soft_over_hard(row):.2f}" for label, row in rows.items()))
    if arguments.json:
        write_result(arguments.json, "python -m benchmarks.projections", rows)


def normalise(raw: Tensor) -> Tensor:
    return F.normalize(raw, dim=-1)


def normalise_pairs(raw: Tensor) -> Tensor:
    """Pairwise normalisation as the paper's published code has it."""
    return F.normalize(raw.view(*raw.shape[:-1], -1, 2), dim=-1).view(raw.shape)


def contestants(dim: int) -> dict[str, Callable[[Tensor], Tensor]]:
    ours = {name: space(name, dim) for name in NAMES}
    projections = {name: lambda raw, s=ours[name]: s.project(raw, check=False) for name in NAMES}
    soft = partial(TorusN(dim).project, soft=0.5, check=False)
    return {"F.normalize": normalise, "pairs by F.normalize": normalise_pairs, **projections, SOFT: soft}


def soft_over_hard(row: dict[str, float]) -> float:
    return row[SOFT] / row["torusN"]


CONTESTANTS = tuple(contestants(2))


def projections(batch: int, dim: int) -> dict[str, Step]:
    raw = torch.randn(batch, dim, requires_grad=True)

    def step(project: Callable[[Tensor], Tensor]) -> Step:
        weights = torch.randn_like(project(raw))
        return lambda: torch.autograd.grad(project(raw), raw, weights)

    return {name: step(project) for name, project in contestants(dim).items()}


def training_steps(batch: int = 512, dim: int = 128) -> dict[str, Step]:
    """A real step of a small network: two layers and a head on 256 numbers, supervised contrastive loss, Adam."""
    inputs, labels = torch.randn(batch, 256), torch.randint(10, (batch,))
    same = (labels[:, None] == labels).float().fill_diagonal_(0)

    def step(project: Callable[[Tensor], Tensor]) -> Step:
        torch.manual_seed(0)
        network = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, dim))
        optimiser = torch.optim.Adam(network.parameters())

        def train() -> None:
            points = project(network(inputs))
            logits = (points @ points.T / 0.1).fill_diagonal_(-1e9)
            loss = -(logits.log_softmax(dim=1) * same).sum(dim=1).div(same.sum(dim=1)).mean()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()

        return train

    return {name: step(project) for name, project in contestants(dim).items()}


def ratios(steps: dict[str, Step], rounds: int) -> dict[str, float]:
    """The median over rounds of each step's time over the first step's."""
    times: dict[str, list[float]] = {name: [] for name in steps}
    for round_ in range(rounds + 3):
        for name, step in steps.items():
            start = time.perf_counter()
            step()
            if round_ >= 3:
                times[name].append(time.perf_counter() - start)
    first = next(iter(times.values()))
    return {name: statistics.median(t / f for t, f in zip(own, first, strict=True)) for name, own in times.items()}


if __name__ == "__main__":
    main()
