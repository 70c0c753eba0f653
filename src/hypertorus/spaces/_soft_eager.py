"""The soft projection in eager torch, with its gradient written by hand, as `_eager` has that of the hard one."""

from __future__ import annotations

import math
from typing import Any

import array_api_compat.torch as xp
import torch
import torch.nn.functional as F
from torch import Tensor

from hypertorus.spaces._soft import soft_point, step_of_soft_point


class SoftenPairs(torch.autograd.Function):
    """[..., D] to [..., D] as `_soft.soft_point`; differentiable twice, and in forward mode."""

    @staticmethod
    def forward(ctx: Any, raw: Tensor, soft: float, shortest: float) -> Tensor:
        least = max(shortest / 2, torch.finfo(raw.dtype).smallest_normal)
        scale = torch.linalg.vector_norm(raw, math.inf, dim=-1, keepdim=True).clamp_min_(least)
        scaled = raw / scale
        x, y = scaled[..., 0::2], scaled[..., 1::2]
        length = (x * x).addcmul_(y, y)
        length.add_(length.mean(dim=-1, keepdim=True), alpha=soft).sqrt_()
        quarter = scale / 4  # a soft length is at most twice the scale, and must not overflow
        length = F.threshold(length.mul_(quarter), shortest / 4, math.inf, inplace=True)
        undirected = F.threshold(length, torch.finfo(raw.dtype).max, 0.0).clamp_max_(1.0)
        factor = torch.div(quarter, length, out=length)
        point = torch.empty_like(raw, memory_format=torch.contiguous_format)
        torch.addcmul(undirected, x, factor, out=point[..., 0::2])
        torch.mul(y, factor, out=point[..., 1::2])
        norm = torch.linalg.vector_norm(point, dim=-1, keepdim=True)
        point.div_(norm)
        ctx.soft, ctx.shortest = soft, shortest
        ctx.save_for_backward(raw, scale, factor, point, norm)
        ctx.save_for_forward(raw)
        return point

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        raw, scale, factor, point, norm = ctx.saved_tensors
        if torch.is_grad_enabled():
            again = soft_point(xp, raw, ctx.soft, ctx.shortest)
            return torch.autograd.grad(again, raw, grad, create_graph=True)[0], None, None
        result = torch.addcmul(grad, point, torch.linalg.vecdot(grad, point).unsqueeze(-1), value=-1)
        along = (point[..., 0::2] * result[..., 0::2]).addcmul_(point[..., 1::2], result[..., 1::2]).mul_(norm)
        pull = (factor * math.sqrt(ctx.soft)).square_().mul_(along).mean(dim=-1, keepdim=True).div_(scale)
        along.mul_(norm)
        for part in (slice(0, None, 2), slice(1, None, 2)):
            own = result[..., part].addcmul_(point[..., part], along, value=-1)
            own.mul_(factor).addcmul_(raw[..., part], pull, value=-1)
        return result.div_(norm * scale), None, None

    @staticmethod
    def jvp(ctx: Any, step: Tensor, *_: None) -> Tensor:
        (raw,) = ctx.saved_tensors
        return step_of_soft_point(xp, raw, step, ctx.soft, ctx.shortest)
