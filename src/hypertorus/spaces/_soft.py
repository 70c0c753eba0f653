"""The soft form of pairwise normalisation: in training a pair that is undecided may stay short.

A pair of length r is divided by sqrt(r^2 + c m), m the mean of r^2 over the pairs of its row, and the row is
normalised. At c = 0 that is torusN. Above, the gradient of a short pair does not grow as 1/r, and the pair weighs
little until it has grown. The formulas serve numpy and torch; eager torch takes the same values and gradients from
`_soft_eager`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hypertorus.spaces._arrays import detached, is_tensor
from hypertorus.spaces._pairs import interleave, normalise_pairs


class SoftPairs(NamedTuple):
    """Pairs of a row over its largest number, which of them have a direction, and their soft lengths [..., D/2]."""

    x: Any
    y: Any
    scale: Any
    directed: Any
    length: Any


def soften_pairs(xp: Any, raw: Any, soft: Any, shortest: float) -> Any:
    """[..., D] to a unit-norm point [..., D] whose pairs are the more equal, the nearer `soft` is to 0.

    A pair whose soft length is no more than `shortest` has no direction: it counts as (1, 0), without gradient.
    """
    if is_tensor(raw):
        from hypertorus.spaces import _eager, _soft_eager

        if _eager.serves():
            share = float(soft)
            if share:
                return _soft_eager.SoftenPairs.apply(raw, share, shortest)  # type: ignore[no-untyped-call]
            return normalise_pairs(xp, raw, shortest)
    elif not soft:
        return normalise_pairs(xp, raw, shortest)
    return soft_point(xp, raw, soft, shortest)


def soft_point(xp: Any, raw: Any, soft: Any, shortest: float) -> Any:
    """The formula itself, which can be traced and differentiated any number of times; `soft` may be a tensor."""
    x, y, _, directed, length = _soft_pairs(xp, raw, soft, shortest)
    x, y = xp.where(directed, x / length, 1.0), xp.where(directed, y / length, 0.0)
    norm = xp.sqrt(xp.sum(x * x + y * y, axis=-1, keepdims=True))
    return interleave(xp, x / norm, y / norm)


def step_of_soft_point(xp: Any, raw: Any, step: Any, soft: Any, shortest: float) -> Any:
    """How the soft point moves when raw makes a small step."""
    x, y, scale, directed, length = _soft_pairs(xp, raw, soft, shortest)
    dx, dy = step[..., 0::2] / scale, step[..., 1::2] / scale
    along = x * dx + y * dy
    shrink = (along + soft * xp.mean(along, axis=-1, keepdims=True)) / (length * length)
    dx, dy = xp.where(directed, (dx - x * shrink) / length, 0.0), xp.where(directed, (dy - y * shrink) / length, 0.0)
    x, y = xp.where(directed, x / length, 1.0), xp.where(directed, y / length, 0.0)
    squared = xp.sum(x * x + y * y, axis=-1, keepdims=True)
    outward = xp.sum(x * dx + y * dy, axis=-1, keepdims=True) / squared
    norm = xp.sqrt(squared)
    return interleave(xp, (dx - x * outward) / norm, (dy - y * outward) / norm)


def _soft_pairs(xp: Any, raw: Any, soft: Any, shortest: float) -> SoftPairs:
    # Over the largest number of the row, so that no square overflows; the point does not depend on this scale.
    scale = xp.max(xp.abs(detached(raw)), axis=-1, keepdims=True)
    scale = xp.clip(scale, max(shortest / 2, float(xp.finfo(raw.dtype).smallest_normal)), None)
    x, y, least = raw[..., 0::2] / scale, raw[..., 1::2] / scale, shortest / scale
    squared = x * x + y * y
    squared = squared + soft * xp.mean(squared, axis=-1, keepdims=True)
    directed = squared > least * least
    return SoftPairs(x, y, scale, directed, xp.sqrt(xp.where(directed, squared, 1.0)))
