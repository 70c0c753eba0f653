"""Means of codes as sums of arrows, which are exact, and the distance of codes to them.

The distance of a code to a mean is the squared Euclidean distance of its arrows to the mean arrows, as a share of the
largest there is. To the mean of one example it is the cosine distance: 0 for the same code, 1 for the opposite one.
Where examples disagree, their mean arrow is short, and that coordinate says little.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.codes.circular_mean import arrows
from hypertorus.codes.protocol import Codes

Distances = npt.NDArray[np.float64]
UNIT = 2.0**14
"""The length of an arrow."""


class Means(NamedTuple):
    """Sums of the arrows of several groups of codes, and how many codes each has."""

    sums: npt.NDArray[np.int64]
    """Sums [groups, width, 2]."""
    counts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, codes: Codes, groups: npt.NDArray[np.int64], bits: int) -> Means:
        """Return the sums of codes [n, width] by the number of the group of each; numbers begin at 0 and have no gaps.

        >>> Means.of(np.array([[0], [64], [128]], np.uint8), np.array([0, 0, 1]), bits=8).sums[:, 0].tolist()
        [[16384, 16384], [-16384, 0]]
        """
        counts = np.bincount(groups)
        order, starts = np.argsort(groups, kind="stable"), np.cumsum(counts) - counts
        return cls(np.add.reduceat(arrows(codes[order], bits), starts, axis=0), counts)

    def distances(self, codes: Codes, bits: int) -> Distances:
        """Return the distance of each code [n, width] to each mean, [n, groups], from 0 to 1."""
        along = _flat(arrows(codes, bits)) @ self._means().T  # sums of whole numbers: the same on every machine
        return np.maximum(0.0, 1 + self._lengths() - 2 * along / codes.shape[1]) / 4

    def without_each(self, codes: Codes, groups: npt.NDArray[np.int64], bits: int) -> Distances:
        """Return the distance of each code to the mean of the others in its group; NaN if it is the only one."""
        each, width = _flat(arrows(codes, bits)), codes.shape[1]
        others = np.maximum(1, self.counts[groups] - 1)
        means = (_flat(self.sums)[groups] - each) / others[:, None]
        away = np.maximum(0.0, 1 + ((means * means).sum(1) - 2 * (each * means).sum(1)) / width) / 4
        return np.where(self.counts[groups] > 1, away, np.nan)

    def chance(self) -> Distances:
        """Return the expected distance of random codes to each mean."""
        return (1 + self._lengths()) / 4

    def _means(self) -> Distances:
        return _flat(self.sums) / self.counts[:, None]

    def _lengths(self) -> Distances:
        means = self._means()
        return (means * means).sum(axis=1) / self.sums.shape[1]


def _flat(whole: npt.NDArray[np.int64]) -> Distances:
    return whole.reshape(len(whole), -1) / UNIT
