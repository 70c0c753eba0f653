"""`TorusKNeighborsClassifier`: classifies by the labels of the nearest codes, with exact integer search."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from hypertorus.codes import GridCodes
from hypertorus.integrations.sklearn.quantizer import even, torus_for
from hypertorus.search import Index


class TorusKNeighborsClassifier(ClassifierMixin, BaseEstimator):
    """Classifies by the `n_neighbors` nearest training rows on a torus, stored as codes of `bits` bits.

    Rows of uint8 are codes, as returned by `TorusQuantizer`; rows of any other numbers are raw and are quantised on
    `space`. Neighbours at equal distance keep their training order; equal votes go to the class that sorts first.
    `weights="distance"` weighs a neighbour by the inverse of its distance; if any is at distance 0, only those count.
    """

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        space: str = "torusN",
        bits: int = 8,
        metric: str = "cosine",
        weights: Literal["uniform", "distance"] = "uniform",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.space = space
        self.bits = bits
        self.metric = metric
        self.weights = weights

    def fit(self, X: Any, y: Any) -> Self:
        X, y = validate_data(self, X, y, dtype=(np.float64, np.float32, np.uint8))
        check_classification_targets(y)
        if self.weights not in ("uniform", "distance"):
            raise ValueError(f"weights is {self.weights!r}; choose 'uniform' or 'distance'.")
        self.classes_, self._labels = np.unique(y, return_inverse=True)
        self._grid = None if X.dtype == np.uint8 else GridCodes(torus_for(self.space, X.shape[1]), self.bits)
        self._index = self._indexed(self._codes(X))
        return self

    def kneighbors(
        self, X: Any, n_neighbors: int | None = None
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """Return the distances and training positions of the nearest rows, both [rows, n_neighbors], nearest first."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=(np.float64, np.float32, np.uint8), reset=False)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        ids, distances = self._index.search(self._codes(X), k=min(k, len(self._labels)))
        return distances, ids

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the share of each class among the neighbours' votes, [rows, classes]."""
        distances, ids = self.kneighbors(X)
        votes = np.ones(ids.shape)
        if self.weights == "distance":
            same = distances == 0
            votes = np.where(same.any(axis=1, keepdims=True), same, 1 / np.maximum(distances, 1))
        total = np.zeros((len(ids), len(self.classes_)))
        np.add.at(total, (np.arange(len(ids))[:, None], self._labels[ids]), votes)
        return total / total.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class with most votes for each row."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if index := state.pop("_index", None):
            state["_stored"] = index.vectors(index.ids)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        stored = state.pop("_stored", None)
        super().__setstate__(state)
        if stored is not None:
            self._index = self._indexed(stored)

    def _indexed(self, codes: npt.NDArray[np.uint8]) -> Index:
        index = Index(codes.shape[1], bits=self.bits, metric=self.metric)
        index.add(codes)
        return index

    def _codes(self, X: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
        if (self._grid is None) != (X.dtype == np.uint8):
            kind, fitted = ("codes", "raw numbers") if X.dtype == np.uint8 else ("raw numbers", "codes")
            raise ValueError(f"X holds {kind}, but this classifier was fitted on {fitted}; use the same for both.")
        return X if self._grid is None else self._grid.encode(even(X, self._grid.space.dim))
