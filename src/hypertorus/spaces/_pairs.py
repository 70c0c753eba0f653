"""Adjacent pairs of numbers as directions in the plane: what both tori are made of.

The formulas here serve numpy and torch and can be differentiated any number of times. Eager torch takes the same
values and gradients from `_eager`, in a third of the time.
"""

from __future__ import annotations

import math
from typing import Any

from hypertorus.spaces._arrays import detached, is_tensor


def directed_pairs(xp: Any, raw: Any, shortest: float) -> tuple[Any, Any, Any, Any]:
    """Which pairs of [..., D] have a direction, vectors [..., D/2] and [..., D/2] that point in it, and their scale.

    A pair no longer than `shortest` has none: it is taken to point along (1, 0), and no gradient flows through it.
    The vectors are the pairs over the larger of their two numbers, so that no square overflows. This scale is held
    constant: the direction does not depend on it, and so neither do its derivatives. (`hypot` would need no scale, but
    ONNX has no such operator, and it is slower.)
    """
    x, y = raw[..., 0::2], raw[..., 1::2]
    scale = xp.maximum(xp.abs(detached(x)), xp.abs(detached(y)))
    scale = xp.clip(scale, max(shortest / 2, float(xp.finfo(raw.dtype).smallest_normal)), None)
    x, y, least = x / scale, y / scale, shortest / scale
    directed = x * x + y * y > least * least
    return directed, xp.where(directed, x, 1.0), xp.where(directed, y, 0.0), scale


def normalise_pairs(xp: Any, raw: Any, shortest: float) -> Any:
    """Pairwise L2 normalisation, the paper's equation 3: [..., D] to a unit-norm point whose pairs are equally long."""
    if is_tensor(raw):
        from hypertorus.spaces import _eager

        if _eager.serves():
            return _eager.NormalisePairs.apply(raw, shortest)  # type: ignore[no-untyped-call]
    x, y = directed_pairs(xp, raw, shortest)[1:3]
    factor = math.sqrt(2 / raw.shape[-1]) / xp.sqrt(x * x + y * y)
    return interleave(xp, x * factor, y * factor)


def clifford(xp: Any, turns: Any) -> Any:
    """The Clifford projection, the paper's equation 2 with the cosine first: [..., d] turns to a point [..., 2d]."""
    if is_tensor(turns):
        from hypertorus.spaces import _eager

        if _eager.serves():
            return _eager.Clifford.apply(turns)  # type: ignore[no-untyped-call]
    # Wrapped first: the cosine of a large angle would lose the digits that the turn still has.
    angle = (turns - xp.round(turns)) * math.tau
    radius = math.sqrt(1 / turns.shape[-1])
    return interleave(xp, xp.cos(angle) * radius, xp.sin(angle) * radius)


def interleave(xp: Any, x: Any, y: Any) -> Any:
    """[..., d] and [..., d] to (x0, y0, x1, y1, ...) in [..., 2d]."""
    return xp.reshape(xp.stack((x, y), axis=-1), (*x.shape[:-1], 2 * x.shape[-1]))


def tangent_of_pairs(xp: Any, raw: Any, step: Any, shortest: float) -> Any:
    """How the normalised point moves when raw makes a small step; as this map is symmetric, its gradient as well.

    Of a step only the part across the pair turns it, and the longer the pair the less.
    """
    directed, x, y, scale = directed_pairs(xp, raw, shortest)
    length = xp.sqrt(x * x + y * y)
    x, y = x / length, y / length
    across = x * step[..., 1::2] - y * step[..., 0::2]
    turn = xp.where(directed, across * (math.sqrt(2 / raw.shape[-1]) / length / scale), 0.0)
    return interleave(xp, -turn * y, turn * x)


def turns_of_pairs(xp: Any, raw: Any, shortest: float) -> Any:
    """The angle of each pair in turns, [..., D] to [..., D/2], each in [0, 1)."""
    x, y = directed_pairs(xp, raw, shortest)[1:3]
    return wrap(xp, xp.atan2(y, x) / math.tau)


def wrap(xp: Any, turns: Any) -> Any:
    """Any turns to [0, 1), where a tiny negative number, which rounds to 1, wraps to 0."""
    turns = turns - xp.floor(turns)
    return xp.where(turns < 1, turns, turns - 1)
