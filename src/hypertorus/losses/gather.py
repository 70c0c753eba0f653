"""Gathers a batch that is split over several processes, for losses that compare each row with all others."""

from __future__ import annotations

import torch
from torch import Tensor
from torch import distributed as dist


def gathered(points: Tensor) -> Tensor:
    """Return the rows [world x n, ...] of all ranks, in rank order; every rank passes rows [n, ...] with the same n.

    Only this rank's own rows carry a gradient; the other ranks compute theirs. Compute the loss of the whole batch on
    every rank and multiply it by `world_size()` before `backward`: then the gradients that `DistributedDataParallel`
    averages are exactly those of one process with the whole batch. Gather labels the same way. A single process gets
    its argument back.

    >>> points = torch.randn(8, 16)
    >>> gathered(points) is points
    True
    """
    if world_size() == 1:
        return points
    own_rows = points.contiguous()
    rows = [torch.empty_like(own_rows) for _ in range(world_size())]
    dist.all_gather(rows, own_rows.detach())
    rows[dist.get_rank()] = own_rows
    return torch.cat(rows)


def world_size() -> int:
    """Return the number of processes that train together; 1 when `torch.distributed` has not been initialised.

    >>> world_size()
    1
    """
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1
