"""Rounding that can be trained through: numbers are rounded on the way forward, and gradients pass as if they were not.

This is the straight-through estimator of Bengio and others, 2013.
"""

from __future__ import annotations

import torch
from torch import Tensor

from hypertorus.spaces import TorusC


def straight_through(exact: Tensor, rounded: Tensor) -> Tensor:
    """Return the values of `rounded` with the gradient of `exact`.

    >>> exact = torch.tensor([0.2, 0.7], requires_grad=True)
    >>> straight_through(exact, exact.round()).sum().backward()
    >>> exact.grad
    tensor([1., 1.])
    """
    return exact + (rounded - exact).detach()


def rounded_turns(turns: Tensor, bits: int) -> Tensor:
    """Return turns in the middle of the arcs of their codes of `bits` bits, with the gradient of the turns.

    >>> rounded_turns(torch.tensor([0.0, 0.26, 0.99]), bits=2)
    tensor([0.1250, 0.3750, 0.8750])
    """
    levels = 2**bits
    return straight_through(turns, ((turns * levels).floor() + 0.5) / levels)


def rounded_points(points: Tensor, bits: int) -> Tensor:
    """Return the points [n, width] of a torus that their codes of `bits` bits stand for, with the points' gradient.

    >>> points = TorusC(2).point(torch.tensor([[0.0, 0.26]]))
    >>> TorusC(2).turns_of_point(rounded_points(points, bits=2))
    tensor([[0.1250, 0.3750]])
    """
    torus = TorusC(points.shape[-1] // 2)
    with torch.no_grad():
        middle = torus.point(rounded_turns(torus.turns_of_point(points, check=False), bits), check=False)
    return straight_through(points, middle)
