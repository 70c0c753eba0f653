"""Prototypes: a class is the mean of its examples, and a row belongs to the class whose prototype is nearest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hypertorus.codes import check_bits
from hypertorus.codes.circular_mean import arrows, nearest_code
from hypertorus.codes.protocol import Codes, check_codes
from hypertorus.search import nearest
from hypertorus.spaces._arrays import enter, to_numpy

Labels = npt.NDArray[Any]


class Prototypes(ABC):
    """A nearest-prototype classifier that stores only a sum per class, so that learning one more example is cheap.

    `labels` are the classes: `fit` sorts them, and `learn` appends new ones. Of equally near classes, the first is
    predicted.
    """

    def __init__(self) -> None:
        self.labels: Labels = np.empty(0)
        self._sums: npt.NDArray[Any] = np.empty((0, 0))
        self._counts: npt.NDArray[np.int64] = np.empty(0, np.int64)

    def fit(self, rows: npt.NDArray[Any], labels: npt.ArrayLike) -> Self:
        """Learn these examples [n, width] with labels [n], and forget all others."""
        shape, labels = np.shape(rows), np.asarray(labels)
        terms = self._terms(self._checked(rows, shape[1] if len(shape) == 2 else 0))
        if labels.shape != shape[:1] or len(labels) == 0:
            raise ValueError(f"there are {shape[0]} examples but labels of shape {labels.shape}; give each one label.")
        self.labels, classes = np.unique(labels, return_inverse=True)
        self._counts = np.bincount(classes)
        starts = np.cumsum(self._counts) - self._counts
        self._sums = np.add.reduceat(terms[np.argsort(classes, kind="stable")], starts, axis=0)
        return self

    def learn(self, row: npt.NDArray[Any], label: Any) -> Self:
        """Learn one more example [width], of a known or a new class."""
        if len(self.labels) == 0:
            return self.fit(np.asarray(row)[None], [label])
        if isinstance(label, str) != (self.labels.dtype.kind == "U"):
            raise TypeError(f"label is {label!r}, but the others are {self.labels.dtype}; use one kind of label.")
        term = self._terms(self._checked(np.asarray(row)[None], self._sums.shape[1]))
        known = self.labels == label
        if known.any():
            self._sums[known] += term
            self._counts[known] += 1
        else:
            self.labels = np.append(self.labels, label)
            self._sums = np.concatenate([self._sums, term])
            self._counts = np.append(self._counts, 1)
        return self

    def predict(self, rows: npt.NDArray[Any]) -> Labels:
        """Return the label of the nearest prototype of each row [n, width]."""
        if len(self.labels) == 0:
            raise ValueError("there are no prototypes yet; call fit or learn first.")
        return self.labels[self._nearest(self._checked(rows, self._sums.shape[1]))]

    @abstractmethod
    def _checked(self, rows: Any, width: int) -> npt.NDArray[Any]:
        """Return the rows unchanged; raise an error unless they are rows [n, width] of the right kind."""

    @abstractmethod
    def _terms(self, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the term that each row adds to the sum of its class."""

    @abstractmethod
    def _nearest(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the position of the nearest class of each row."""


class PointPrototypes(Prototypes):
    """Class means of points, or of other float vectors, nearest by Euclidean distance, as in the paper.

    >>> points = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])
    >>> prototypes = PointPrototypes().fit(points, ["wren", "wren", "robin"])
    >>> prototypes.learn(np.array([-1.0, 0.0]), "owl").predict(np.array([[-0.6, 0.8], [-0.8, 0.6]]))
    array(['robin', 'owl'], dtype='<U5')
    """

    def _checked(self, rows: Any, width: int) -> npt.NDArray[np.float64]:
        if np.ndim(rows) != 2:
            raise ValueError(f"rows has shape {np.shape(rows)}; pass a matrix [rows, numbers].")
        return to_numpy(enter(rows, width, "rows")[1]).astype(np.float64, copy=False)

    def _terms(self, rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return rows

    def _nearest(self, rows: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        # Centring by the mean of all examples changes no distance, and saves digits in the products below.
        centre = self._sums.sum(axis=0) / self._counts.sum()
        means = self._sums / self._counts[:, None] - centre
        closeness = (rows - centre) @ means.T - (means * means).sum(axis=1) / 2
        return closeness.argmax(axis=1)


class CodePrototypes(Prototypes):
    """Circular means of torus codes, each stored as one code, nearest by integer l1, without floating point.

    A coordinate has 8, 4, 2 or 1 `bits`. Learning needs the sums of cosines and sines; predicting needs only `codes`.

    >>> codes = np.array([[250, 60], [10, 68], [128, 128]], np.uint8)
    >>> prototypes = CodePrototypes(bits=8).fit(codes, ["wren", "wren", "robin"])
    >>> prototypes.codes
    array([[128, 128],
           [  2,  64]], dtype=uint8)
    >>> prototypes.predict(np.array([[240, 70]], np.uint8))
    array(['wren'], dtype='<U5')
    """

    def __init__(self, bits: int = 8) -> None:
        super().__init__()
        self.bits = check_bits(bits)

    @property
    def codes(self) -> Codes:
        """The prototypes [classes, width], in the order of `labels`."""
        return nearest_code(self._sums, self.bits)

    def _checked(self, rows: Any, width: int) -> Codes:
        return check_codes(rows, width, self.bits)

    def _terms(self, rows: Codes) -> npt.NDArray[np.int64]:
        return arrows(rows, self.bits)

    def _nearest(self, rows: Codes) -> npt.NDArray[np.int64]:
        return nearest(self.codes, rows, k=1, metric="l1", bits=self.bits).ids[:, 0]
