"""Nested embeddings: the first coordinates alone are an embedding, too, after Matryoshka representations."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from hypertorus.spaces import Space, Torus

SMALLEST = 8
"""Coordinates of the smallest prefix."""


def sizes(space: Space) -> tuple[int, ...]:
    """Return the numbers of coordinates that are trained at once: 8, 16, 32 and so on, and all of them.

    >>> from hypertorus import TorusN
    >>> sizes(TorusN(96))
    (8, 16, 32, 48)
    """
    whole = coordinates(space)
    doubled = [SMALLEST << step for step in range(whole.bit_length()) if SMALLEST << step < whole]
    return (*doubled, whole)


def coordinates(space: Space) -> int:
    """Return the number of coordinates of a code: angles of a torus, numbers of a sphere."""
    return space.flat_dim if isinstance(space, Torus) else space.dim


def prefix(points: Tensor, space: Space, size: int) -> Tensor:
    """Return the first `size` coordinates of points [n, ambient_dim] as unit-norm points of their own.

    On a torus these are the points of the first angles: a coordinate is a pair of numbers, and all pairs are alike.
    """
    if size == coordinates(space):
        return points
    return F.normalize(points[..., : size * space.ambient_dim // coordinates(space)], dim=-1)
