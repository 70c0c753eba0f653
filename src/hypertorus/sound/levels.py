"""Loudness in integers, equal bit for bit to `native/hypertorus_levels.h`: table log2, levels, bytes of a window."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

FULL = 255
"""Byte of the loudest place of a window, and level of a power of 1."""
PARTS = 32
"""Parts of an octave in the table of logarithms, between which they are read on a line."""
ONE = 2048
"""How much the logarithm of a number grows when it doubles."""
LOG2 = np.rint(ONE * np.log2(1 + np.arange(PARTS + 1) / PARTS)).astype(np.uint16)
"""The logarithms of 1 to 2."""


class Step(NamedTuple):
    """How logarithms become levels, of which 255 span the depth of a window: `logarithm * factor / 2**shift`."""

    factor: int
    shift: int


def step_for(depth: float) -> Step:
    """Return the step of levels that are 1/255 of `depth` decibels apart, with as exact a factor as 14 bits hold.

    >>> step_for(45.0)
    Step(factor=8734, shift=20)
    """
    ratio = FULL / depth * 10 * np.log10(2) / ONE
    shift = int(np.floor(np.log2((2**14 - 1) / ratio)))
    return Step(round(ratio * 2**shift), shift)


def significant_bits(numbers: npt.NDArray[Any]) -> Integers:
    """Return the number of significant bits of whole numbers from 0 up to 2**52.

    >>> significant_bits(np.array([0, 1, 255, 256])).tolist()
    [0, 1, 8, 9]
    """
    return np.frexp(numbers.astype(np.float64))[1].astype(np.int64)


def logarithms(numbers: Integers) -> Integers:
    """Return 2048 log2 of whole numbers from 1 to 2**32 - 1, to within 2; that of 0 is 0.

    >>> logarithms(np.array([1, 2, 3, 2**31])).tolist()
    [0, 2048, 3246, 63488]
    """
    bits = significant_bits(numbers)
    left = numbers << (32 - bits)
    part, rest = left >> 26 & PARTS - 1, left >> 18 & 255
    table = LOG2.astype(np.int64)
    return np.where(numbers > 0, (bits - 1) * ONE + table[part] + ((table[part + 1] - table[part]) * rest >> 8), 0)


def levels(logs: Integers, step: Step) -> Integers:
    """Return the levels of powers from their logarithms: 255 of a power of 1, 255 more for each `depth` decibels."""
    return (FULL + (logs * step.factor + (1 << step.shift - 1) >> step.shift)).clip(0, 2**16 - 1)


def window_bytes(heard: Integers) -> npt.NDArray[np.uint8]:
    """Return the bytes [n, bands, frames] of windows of levels [n, frames, bands]: 255 at the loudest place of each.

    A window whose loudest place is below level 255 is not raised, so silence is 0.

    >>> window_bytes(np.array([[[300, 290], [20, 280]], [[0, 0], [100, 0]]])).tolist()
    [[[255, 0], [245, 235]], [[0, 100], [0, 0]]]
    """
    loudest = heard.max(axis=(1, 2), keepdims=True, initial=FULL)
    return (FULL - loudest + heard).clip(0, FULL).astype(np.uint8).swapaxes(1, 2)


def stream_bytes(heard: Integers, frames: int) -> npt.NDArray[np.uint8]:
    """Return the bytes [n, bands, time] of sounds of levels [n, time, bands] that are heard as a stream.

    With each frame that comes, the middle one of the last `frames` is scaled by the loudest place of these, and never
    again. So frame t is that from `frames // 2` frames ago, and the first ones are 0.

    >>> stream_bytes(np.array([[[300], [400], [350], [280]]]), 3).tolist()
    [[[0, 155, 255, 205]]]
    """
    late = frames // 2
    loudest = np.pad(heard.max(axis=2, initial=FULL), ((0, 0), (frames - 1, 0)))
    scale = np.lib.stride_tricks.sliding_window_view(loudest, frames, axis=1).max(axis=2)[..., None]
    middle = np.pad(heard, ((0, 0), (late, 0), (0, 0)))[:, : heard.shape[1]]
    return (FULL - scale + middle).clip(0, FULL).astype(np.uint8).swapaxes(1, 2)
