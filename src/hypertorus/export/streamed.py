"""The codes of clips that are heard in a stream, and how much has to follow a clip until its code is complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hypertorus.export.network import IntegerNetwork
from hypertorus.export.stages import Columns

if TYPE_CHECKING:
    from hypertorus.sound.chip_ear import ChipEar

AT_ONCE = 128
"""Number of clips that are computed at once, to limit memory."""


def samples_after(network: IntegerNetwork, ear: ChipEar) -> int:
    """Return the number of samples after a window until the sums of its frames are complete.

    The ear waits for half a window, to know what is loudest on both sides of a frame, and the convolutions for the
    frames that lie beside one.
    """
    assert isinstance(network.columns, Columns)
    return (ear.frames // 2 + network.columns.delay) * ear.hop


def streamed(network: IntegerNetwork, ear: ChipEar, windows: npt.NDArray[np.int16]) -> npt.NDArray[np.uint8]:
    """Return the codes [n, dim] of windows [n, samples], each heard in a stream of silence, when it has just ended."""
    after = samples_after(network, ear)
    parts = [
        network.stream(ear.stream(np.pad(windows[first : first + AT_ONCE], ((0, 0), (0, after)))))[:, -1]
        for first in range(0, len(windows), AT_ONCE)
    ]
    return np.concatenate(parts)
