"""Pairwise L2 normalisation in eager torch: one pass forward, one pass back, no masks.

A boolean mask costs torch more than the arithmetic, so a pair without direction is carried as an infinite length:
its factor is then zero by itself. The gradient is written by hand because only its tangential part is there.
"""

from __future__ import annotations

import math
from typing import Any

import array_api_compat.torch as xp
import torch
import torch.nn.functional as F
from torch import Tensor

from hypertorus.spaces._pairs import tangent_of_pairs


def is_eager() -> bool:
    """False inside `torch.compile` and `torch.export`, which do better with the plain formula."""
    return not torch.compiler.is_compiling()


def normalise_pairs(raw: Tensor, shortest: float) -> Tensor:
    """[..., D] to [..., D] as `_pairs.normalise_pairs`, differentiable twice, under vmap and in forward mode too."""
    return _NormalisePairs.apply(raw, shortest)[0]  # type: ignore[no-untyped-call]


class _NormalisePairs(torch.autograd.Function):
    @staticmethod
    def forward(raw: Tensor, shortest: float) -> tuple[Tensor, Tensor]:
        radius = math.sqrt(2 / raw.shape[-1])
        x, y = raw[..., 0::2], raw[..., 1::2]
        half = F.threshold((x * 0.5).hypot_(y * 0.5), shortest / 2, math.inf, inplace=True)
        undirected = F.threshold(half, torch.finfo(raw.dtype).max, 0.0).clamp_max_(radius)
        factor = half.reciprocal_().mul_(radius / 2)
        point = torch.empty_like(raw, memory_format=torch.contiguous_format)
        torch.addcmul(undirected, x, factor, out=point[..., 0::2])
        torch.mul(y, factor, out=point[..., 1::2])
        return point, factor

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, float], output: tuple[Tensor, Tensor]) -> None:
        raw, ctx.shortest = inputs
        point, factor = output
        ctx.mark_non_differentiable(factor)
        ctx.save_for_backward(raw, point, factor)
        ctx.save_for_forward(raw)

    @staticmethod
    def backward(ctx: Any, grad: Tensor, _: Tensor) -> tuple[Tensor, None]:
        raw, point, factor = ctx.saved_tensors
        if torch.is_grad_enabled():
            return tangent_of_pairs(xp, raw, grad, ctx.shortest), None
        x, y = point[..., 0::2], point[..., 1::2]
        turn = (x * grad[..., 1::2]).addcmul_(y, grad[..., 0::2], value=-1)
        turn.mul_(factor).mul_(raw.shape[-1] / 2)
        result = torch.empty_like(point)
        torch.mul(turn, x, out=result[..., 1::2])
        torch.mul(turn.neg_(), y, out=result[..., 0::2])
        return result, None

    @staticmethod
    def jvp(ctx: Any, step: Tensor, _: None) -> tuple[Tensor, None]:
        (raw,) = ctx.saved_for_forward
        return tangent_of_pairs(xp, raw, step, ctx.shortest), None

    @staticmethod
    def vmap(_: Any, in_dims: tuple[int, None], raw: Tensor, shortest: float) -> tuple[tuple[Tensor, Tensor], int]:
        return _NormalisePairs.apply(raw.movedim(in_dims[0], 0), shortest), 0  # type: ignore[no-untyped-call]
