"""What a device is to know: codes of classes, perhaps the network that makes codes, and codes to judge it by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.codes.protocol import Codes
from hypertorus.export.network import IntegerNetwork
from hypertorus.search import search

Labels = npt.NDArray[np.int64]


class Labelled(NamedTuple):
    """Codes [n, dim], one number a coordinate, and the number of the class of each."""

    codes: Codes
    labels: Labels

    def nearest_accuracy(self, queries: Labelled, bits: int) -> float:
        """The share of queries whose nearest code, by l1, the first of equals, is of their class."""
        nearest = search(self.codes, queries.codes, k=1, metric="l1", bits=bits).ids[:, 0]
        return float((self.labels[nearest] == queries.labels).mean())

    def accuracy_among_others(self, bits: int) -> float:
        """The share of codes whose nearest other code is of their class."""
        found = search(self.codes, self.codes, k=min(2, len(self.codes)), metric="l1", bits=bits).ids
        other = np.where(found[:, 0] == np.arange(len(found)), found[:, -1], found[:, 0])
        return float((self.labels[other] == self.labels).mean())


@dataclass(frozen=True)
class Known:
    """Codes of `bits` bits and what their classes are called.

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
    """What accuracy is measured on; an index has nothing but its own codes."""
    network: IntegerNetwork | None = None
    scaling: npt.NDArray[np.float64] | None = None
    """The mean and deviation, [numbers, 2], by which vectors become inputs of the network."""
    float_accuracy: float | None = None
    """Of the test inputs among all stored ones, by the model in floats."""

    @property
    def dim(self) -> int:
        return int(self.stored.codes.shape[1])

    def accuracy(self) -> float:
        """With all codes stored."""
        if self.test is None:
            return self.stored.accuracy_among_others(self.bits)
        return self.stored.nearest_accuracy(self.test, self.bits)
