"""Cuts sound of any length into windows of equal length."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

PADDINGS = ("repeat", "zeros", "around")
"""Ways to pad the last window: repeat the sound, or zeros, which are silence, after the sound or around it."""


def check_padding(padding: str) -> None:
    """Raise an error if there is no such padding."""
    if padding not in PADDINGS:
        raise ValueError(f"padding is {padding!r}; choose one of {', '.join(PADDINGS)}.")


def windows(wave: Tensor, samples: int, padding: str) -> Tensor:
    """Return a wave [time] cut into windows [n, samples]; the last is padded, or dropped if it is under half full.

    >>> windows(torch.zeros(2600), 1024, "repeat").shape, windows(torch.zeros(2500), 1024, "repeat").shape
    (torch.Size([3, 1024]), torch.Size([2, 1024]))
    """
    whole, left = divmod(len(wave), samples)
    if whole and 2 * left < samples:
        return wave[: whole * samples].view(whole, samples)
    end = whole * samples
    return torch.cat([wave[:end], _padded(wave[end:], samples, padding)]).view(whole + 1, samples)


def _padded(wave: Tensor, samples: int, padding: str) -> Tensor:
    if padding == "around":
        before = (samples - len(wave)) // 2
        return F.pad(wave, (before, samples - len(wave) - before))
    if padding == "zeros":
        return F.pad(wave, (0, samples - len(wave)))
    return wave.repeat(-(-samples // len(wave)))[:samples]
