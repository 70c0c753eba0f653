"""A rank of a world: one step of training on its share of a batch in every space, saved for a test to compare.

python one_rank.py RANK WORLD FOLDER
"""

import sys
from pathlib import Path
from typing import Any

import torch
from pytorch_metric_learning.losses import SupConLoss
from torch import distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from hypertorus.losses import KoLeoLoss, gathered, world_size
from hypertorus.models import Head

SPACES = ("sphere", "torusN", "torusC")


def step(name: str, rank: int, world: int) -> dict[str, Any]:
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), Head(24, dim=8, space=name)).double()
    views, labels = torch.randn(2, 20, 12, dtype=torch.float64), torch.arange(20) % 3
    trained = DistributedDataParallel(network) if world > 1 else network

    mine = slice(rank * 20 // world, (rank + 1) * 20 // world)
    first, second = trained(views[:, mine].flatten(0, 1)).unflatten(0, (2, -1))
    points, classes = torch.stack([gathered(first), gathered(second)]), gathered(labels[mine])
    loss = SupConLoss(temperature=0.1)(points.flatten(0, 1), classes.repeat(2)) + KoLeoLoss()(points)
    (loss * world_size()).backward()

    grads = {key: weight.grad for key, weight in network.named_parameters()}
    return {"loss": loss.detach(), "points": points.detach(), "labels": classes, "grads": grads}


def main(rank: int, world: int, folder: Path) -> None:
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=world)
    torch.save({name: step(name, rank, world) for name in SPACES}, folder / f"{rank}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
