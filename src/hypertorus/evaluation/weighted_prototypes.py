"""Prototypes of codes that also keep how long the mean of each coordinate is, in 2 bits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hypertorus.codes.circular_mean import arrows
from hypertorus.codes.protocol import Codes
from hypertorus.evaluation.prototypes import CodePrototypes

LONGEST = 3
"""The length of a coordinate on which all examples agree."""
UNIT = 2**14
"""The length of an arrow."""


class WeightedPrototypes(CodePrototypes):
    """Circular means of codes with a length of 0 to 3 for each coordinate, still without floating point.

    Where the examples of a class agree, their mean is long; where they are spread over the circle, it is short and says
    little. Points keep that length in their class means, and codes alone lose it: with five examples, that is what they
    lose against floats. A row belongs to the class with the largest sum of l cos(d) - l^2 / 6 over the coordinates, l
    their lengths and d the angles between: the Euclidean distance of points to means of those lengths.

    >>> codes = np.array([[250, 0], [6, 128], [128, 64]], np.uint8)
    >>> prototypes = WeightedPrototypes().fit(codes, ["wren", "wren", "robin"])
    >>> prototypes.lengths
    array([[3, 3],
           [3, 0]], dtype=uint8)
    >>> prototypes.predict(np.array([[30, 64]], np.uint8))
    array(['wren'], dtype='<U5')
    """

    @property
    def lengths(self) -> npt.NDArray[np.uint8]:
        """The lengths [classes, width], in the order of `labels`: three times that of the mean arrow, rounded."""
        means = self._sums // self._counts[:, None, None]
        squared = 4 * LONGEST**2 * (means * means).sum(axis=-1)
        halves = (np.arange(LONGEST) * 2 + 1) ** 2 * UNIT**2
        return (squared[..., None] > halves).sum(axis=-1).astype(np.uint8)

    def _nearest(self, rows: Codes) -> npt.NDArray[np.int64]:
        lengths = self.lengths.astype(np.int64)
        means = lengths[..., None] * arrows(self.codes, self.bits)
        turned = arrows(rows, self.bits).reshape(len(rows), -1) @ means.reshape(len(means), -1).T
        closeness = 2 * LONGEST * turned - UNIT**2 * (lengths * lengths).sum(axis=1)
        return closeness.argmax(axis=1)
