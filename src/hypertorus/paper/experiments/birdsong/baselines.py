"""Baselines without training: ready-made features, and statistics of the spectrogram."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hypertorus.datasets import Part

Numbers = npt.NDArray[np.float32]


def features(part: Part) -> Numbers:
    return part.__getitems__(range(len(part))).numpy()


def statistics(part: Part) -> Numbers:
    """Return the mean and deviation of each band over time, which capture the voice of a species but not its song."""
    pieces = []
    for begin in range(0, len(part), 512):
        bands = part.__getitems__(range(begin, min(begin + 512, len(part))))[:, 0]
        pieces.append(np.concatenate([bands.mean(dim=2).numpy(), bands.std(dim=2).numpy()], axis=1))
    return np.concatenate(pieces)


def standardised(numbers: Numbers, known: Numbers) -> Numbers:
    """Return the numbers standardised by the mean and deviation of `known`, the training data."""
    return (numbers - known.mean(axis=0)) / (known.std(axis=0) + 1e-6)
