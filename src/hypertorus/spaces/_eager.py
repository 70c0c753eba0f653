"""The two torus projections in eager torch: few passes over memory, no masks, gradients written by hand.

A point moves on its circles and nowhere else, so of a gradient there is only the part across each pair. A boolean mask
costs torch more than the arithmetic, so a pair without direction is carried as one of infinite length: its factor is
then zero by itself.
"""

from __future__ import annotations

import math
from typing import Any

import array_api_compat.torch as xp
import torch
import torch.nn.functional as F
from torch import Tensor

from hypertorus.spaces._pairs import interleave, tangent_of_pairs


def serves() -> bool:
    """False while torch traces or transforms functions, which it does better with the plain formula."""
    return not (torch.compiler.is_compiling() or torch._C._are_functorch_transforms_active())  # noqa: SLF001


class NormalisePairs(torch.autograd.Function):
    """[..., D] to [..., D] as `_pairs.normalise_pairs`; differentiable twice, and in forward mode."""

    @staticmethod
    def forward(ctx: Any, raw: Tensor, shortest: float) -> Tensor:
        radius = math.sqrt(2 / raw.shape[-1])
        x, y = raw[..., 0::2], raw[..., 1::2]
        half = F.threshold((x * 0.5).hypot_(y * 0.5), shortest / 2, math.inf, inplace=True)
        undirected = F.threshold(half, torch.finfo(raw.dtype).max, 0.0).clamp_max_(radius)
        factor = half.reciprocal_().mul_(radius / 2)
        point = torch.empty_like(raw, memory_format=torch.contiguous_format)
        torch.addcmul(undirected, x, factor, out=point[..., 0::2])
        torch.mul(y, factor, out=point[..., 1::2])
        ctx.shortest = shortest
        ctx.save_for_backward(raw, point, factor)
        ctx.save_for_forward(raw)
        return point

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        raw, point, factor = ctx.saved_tensors
        if torch.is_grad_enabled():
            return tangent_of_pairs(xp, raw, grad, ctx.shortest), None
        x, y = point[..., 0::2], point[..., 1::2]
        turn = across(point, grad).mul_(factor).mul_(raw.shape[-1] / 2)
        result = torch.empty_like(point)
        torch.mul(turn, x, out=result[..., 1::2])
        torch.mul(turn.neg_(), y, out=result[..., 0::2])
        return result, None

    @staticmethod
    def jvp(ctx: Any, step: Tensor, _: None) -> Tensor:
        (raw,) = ctx.saved_tensors
        return tangent_of_pairs(xp, raw, step, ctx.shortest)


class Clifford(torch.autograd.Function):
    """[..., d] turns to the point [..., 2d] as `torus.clifford`; differentiable twice, and in forward mode."""

    @staticmethod
    def forward(ctx: Any, turns: Tensor) -> Tensor:
        angle = turns.round().neg_().add_(turns).mul_(math.tau)
        point = turns.new_empty((*turns.shape[:-1], 2 * turns.shape[-1]))
        torch.cos(angle, out=point[..., 0::2])
        torch.sin(angle, out=point[..., 1::2])
        point.mul_(math.sqrt(1 / turns.shape[-1]))
        ctx.save_for_backward(point)
        ctx.save_for_forward(point)
        return point

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (point,) = ctx.saved_tensors
        if torch.is_grad_enabled():
            return math.tau * (point[..., 0::2] * grad[..., 1::2] - point[..., 1::2] * grad[..., 0::2])
        return across(point, grad).mul_(math.tau)

    @staticmethod
    def jvp(ctx: Any, step: Tensor) -> Tensor:
        (point,) = ctx.saved_tensors
        return interleave(xp, point[..., 1::2] * step * -math.tau, point[..., 0::2] * step * math.tau)


def across(point: Tensor, grad: Tensor) -> Tensor:
    """How far a gradient [..., 2d] goes across each pair of a point [..., 2d], as [..., d]."""
    return (point[..., 0::2] * grad[..., 1::2]).addcmul_(point[..., 1::2], grad[..., 0::2], value=-1)
