"""Sound of any length as windows of one length."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

PADDINGS = ("repeat", "zeros")
"""What fills a window that the sound does not: the sound again, or silence."""


def windows(wave: Tensor, samples: int, padding: str) -> Tensor:
    """A wave [time] cut into windows [n, samples]; the last one is padded, or left out if under half is left.

    >>> windows(torch.zeros(2600), 1024, "repeat").shape, windows(torch.zeros(2500), 1024, "repeat").shape
    (torch.Size([3, 1024]), torch.Size([2, 1024]))
    """
    whole, left = divmod(len(wave), samples)
    if whole and 2 * left < samples:
        return wave[: whole * samples].view(whole, samples)
    end = whole * samples
    return torch.cat([wave[:end], _padded(wave[end:], samples, padding)]).view(whole + 1, samples)


def _padded(wave: Tensor, samples: int, padding: str) -> Tensor:
    if padding == "zeros":
        return F.pad(wave, (0, samples - len(wave)))
    return wave.repeat(-(-samples // len(wave)))[:samples]
