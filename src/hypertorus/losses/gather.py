"""One batch over several processes: the rows of every rank, for losses that compare each row with all others."""

from __future__ import annotations

import torch
from torch import Tensor
from torch import distributed as dist


def gathered(points: Tensor) -> Tensor:
    """Rows [n, ...] of this rank to the rows [world x n, ...] of all, in rank order; n is the same on every rank.

    Only this rank's own rows carry a gradient, for that of the others is taken where they are. So let every rank
    compute the loss of the whole batch and multiply it by `world_size()` before `backward`: then the gradients that
    `DistributedDataParallel` averages are exactly those of one process with the whole batch. Labels are gathered the
    same way. In a single process this is its argument.

    >>> points = torch.randn(8, 16)
    >>> gathered(points) is points
    True
    """
    if world_size() == 1:
        return points
    mine = points.contiguous()
    rows = [torch.empty_like(mine) for _ in range(world_size())]
    dist.all_gather(rows, mine.detach())
    rows[dist.get_rank()] = mine
    return torch.cat(rows)


def world_size() -> int:
    """How many processes train together; 1 when `torch.distributed` has not been initialised.

    >>> world_size()
    1
    """
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1
