"""The hypersphere: L2 normalisation, what most embeddings use and what the tori are measured against."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.spaces._arrays import Array, all_pairs, detached, enter, enter_raw
from hypertorus.spaces.protocol import Space, check_pairable


class Sphere(Space):
    """The unit sphere in `dim` dimensions.

    Metrics: `cosine` (one minus the cosine), `arc` (the length of the great-circle arc in turns, so antipodes are
    half a turn apart) and `l2` (the squared chord, which is twice the cosine distance).

    >>> import numpy as np
    >>> sphere = Sphere(3)
    >>> sphere.project(np.array([[3.0, 0.0, 4.0]]))
    array([[0.6, 0. , 0.8]])
    >>> north, east = np.eye(3)[:2]
    >>> {metric: round(float(sphere.distance(north, east, metric)), 6) for metric in sphere.metrics}
    {'cosine': 1.0, 'arc': 0.25, 'l2': 2.0}
    """

    name = "sphere"
    metrics = ("cosine", "arc", "l2")

    @property
    def ambient_dim(self) -> int:
        return self.dim

    @property
    def intrinsic_dim(self) -> int:
        return self.dim - 1

    @property
    def diameters(self) -> dict[str, float]:
        return {"cosine": 2.0, "arc": 0.5, "l2": 4.0}

    def project(self, raw: Array, *, check: bool = True) -> Array:
        """Raw numbers [..., dim] over their norm. A row without direction goes to the first axis, without gradient."""
        xp, wide, shortest = enter_raw(raw, self.dim, check=check)
        # Over the largest number first, so that no square overflows; the direction is the same and so is the gradient.
        largest = xp.max(xp.abs(detached(wide)), axis=-1, keepdims=True)
        directed = largest > shortest
        first_axis = xp.astype(xp.arange(self.dim, device=wide.device) == 0, wide.dtype)
        scaled = xp.where(directed, wide / xp.where(directed, largest, 1.0), first_axis)
        return scaled / xp.sqrt(xp.sum(scaled * scaled, axis=-1, keepdims=True))

    def distance(self, a: Array, b: Array, metric: str = "cosine") -> Array:
        self._check_metric(metric)
        xp, a, b = self._enter_both(a, b)
        return _distance(xp, a, b, metric)

    def distances(self, a: Array, b: Array, metric: str = "cosine") -> Array:
        self._check_metric(metric)
        xp, a, b = self._enter_both(a, b)
        check_pairable(a, b)
        if metric == "arc":
            return all_pairs(xp, a, b, lambda rows, others: _distance(xp, rows, others, metric))
        cosine = 1 - xp.clip(xp.matmul(a, xp.matrix_transpose(b)), -1.0, 1.0)
        return cosine if metric == "cosine" else 2 * cosine

    def random(self, n: int, seed: int | np.random.Generator | None = None) -> npt.NDArray[np.float64]:
        return self.project(np.random.default_rng(seed).standard_normal((n, self.dim)))

    def _enter_both(self, a: Any, b: Any) -> tuple[Any, Any, Any]:
        xp, a = enter(a, self.dim, "a")
        return xp, a, enter(b, self.dim, "b")[1]


def _distance(xp: Any, a: Any, b: Any, metric: str) -> Any:
    # By the chord, not the dot product: 1 - a.b has lost all digits of a small distance.
    difference = a - b
    if metric == "arc":
        chord, cochord = xp.linalg.vector_norm(difference, axis=-1), xp.linalg.vector_norm(a + b, axis=-1)
        return 2 * xp.atan2(chord, cochord) / math.tau
    squared = xp.sum(difference * difference, axis=-1)
    return squared if metric == "l2" else squared / 2
