"""How a cloud of points lies in its space: where it points to on the whole, and how far it is spread."""

from __future__ import annotations

from typing import Any

from hypertorus.spaces._arrays import Array, enter


def mean_direction(points: Array) -> Array:
    """The mean of unit-norm points [n, width], as it is: its direction is theirs, its length how far they agree.

    >>> import numpy as np
    >>> mean_direction(np.array([[1.0, 0.0], [0.0, 1.0]]))
    array([0.5, 0.5])
    """
    xp, points = _enter_points(points)
    return xp.mean(points, axis=0)


def circular_variance(points: Array) -> Array:
    """One minus the length of the mean of unit-norm points [n, width], the paper's equation 4.

    It is 0 for a cloud that is a single point, and 1 for one that is spread evenly; take a torus by its points.

    >>> import numpy as np
    >>> float(circular_variance(np.array([[1.0, 0.0], [-1.0, 0.0]])))
    1.0
    """
    xp, points = _enter_points(points)
    return 1 - xp.linalg.vector_norm(xp.mean(points, axis=0))


def _enter_points(points: Any) -> tuple[Any, Any]:
    if getattr(points, "ndim", 2) != 2:
        raise ValueError(f"points has shape {tuple(points.shape)}; pass a matrix [points, numbers].")
    return enter(points, getattr(points, "shape", (0, 0))[1], "points")
