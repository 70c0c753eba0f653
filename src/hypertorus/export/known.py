"""The knowledge of a device: codes of classes, optionally the network that computes codes, and codes to test it on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.codes.protocol import Codes
from hypertorus.export.network import IntegerNetwork
from hypertorus.search import nearest

if TYPE_CHECKING:
    from hypertorus.sound.chip_ear import ChipEar

Labels = npt.NDArray[np.int64]


class Labelled(NamedTuple):
    """Codes [n, dim], one number per coordinate, and the class number of each code."""

    codes: Codes
    labels: Labels

    def nearest_accuracy(self, queries: Labelled, bits: int) -> float:
        """Return the share of queries whose nearest code by l1, the first among equals, has their class."""
        ids = nearest(self.codes, queries.codes, k=1, metric="l1", bits=bits).ids[:, 0]
        return float((self.labels[ids] == queries.labels).mean())

    def accuracy_among_others(self, bits: int) -> float:
        """Return the share of codes whose nearest other code has their class."""
        ids = nearest(self.codes, self.codes, k=min(2, len(self.codes)), metric="l1", bits=bits).ids
        other = np.where(ids[:, 0] == np.arange(len(ids)), ids[:, -1], ids[:, 0])
        return float((self.labels[other] == self.labels).mean())


@dataclass(frozen=True)
class Known:
    """Codes of `bits` bits per coordinate and the names of their classes.

    >>> two = Labelled(np.array([[0, 9], [128, 9]], np.uint8), np.array([0, 1]))
    >>> known = Known("birds", two, ("owl", "jay"), bits=8, test=two)
    >>> known.dim, known.accuracy()
    (2, 1.0)
    """

    name: str
    stored: Labelled
    classes: tuple[str, ...]
    bits: int
    test: Labelled | None = None
    """Codes that accuracy is measured on; None for an index, which has only its own codes."""
    network: IntegerNetwork | None = None
    scaling: npt.NDArray[np.float64] | None = None
    """Mean and standard deviation, [numbers, 2], that turn vectors into inputs of the network."""
    ear: ChipEar | None = None
    """The ear of the network, if it is one that a chip has."""
    float_accuracy: float | None = None
    """Accuracy of the model in floats on the test inputs, with all codes stored."""

    @property
    def dim(self) -> int:
        return int(self.stored.codes.shape[1])

    def accuracy(self) -> float:
        """Return the accuracy with all codes stored."""
        if self.test is None:
            return self.stored.accuracy_among_others(self.bits)
        return self.stored.nearest_accuracy(self.test, self.bits)
