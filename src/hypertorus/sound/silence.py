"""Silence: windows in which there is nothing to hear."""

from __future__ import annotations

from torch import Tensor

QUIETEST = 2.0**-15
"""Standard deviation below which a window is silent: one step of 16 bits, which no microphone is quieter than."""


def silent(windows: Tensor) -> Tensor:
    """Return which windows [n, samples] are silent.

    >>> import torch
    >>> silent(torch.stack([torch.full((100,), 0.1), torch.linspace(-1e-3, 1e-3, 100)]))
    tensor([ True, False])
    """
    return windows.std(dim=1, correction=0) < QUIETEST
