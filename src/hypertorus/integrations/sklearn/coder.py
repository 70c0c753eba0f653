"""`NeighbourCoder`: turns vectors into codes that keep their nearest neighbours, fitted without labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from hypertorus.coders.fit import STEPS, check_size, fitted, kind_for
from hypertorus.coders.vectors import unit_rows


class NeighbourCoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """`codes_for` as an estimator: `n_bytes` bytes of a code, in columns of 4 bits.

    Parameters: `n_bytes`; `use`, "search" for plain codes, "cells" or "microcontroller" for torus codes; `steps` of the
    fit; `random_state`, an int. The fitted coder is `coder_`, whose `index` and `search` find neighbours.

    >>> rows = np.random.default_rng(0).normal(size=(100, 6))
    >>> NeighbourCoder(n_bytes=2, steps=10).fit_transform(rows).shape
    (100, 4)
    """

    def __init__(self, n_bytes: int = 64, *, use: str = "search", steps: int = STEPS, random_state: int = 0) -> None:
        self.n_bytes = n_bytes
        self.use = use
        self.steps = steps
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        X = validate_data(self, X, dtype=(np.float64, np.float32), ensure_min_samples=2, ensure_min_features=2)
        kind = kind_for(self.use)
        check_size(self.n_bytes, X.shape[1], kind)
        self.coder_ = fitted(unit_rows(X), self.n_bytes, kind, steps=self.steps, seed=self.random_state)
        return self

    def transform(self, X: Any) -> npt.NDArray[np.uint8]:
        check_is_fitted(self)
        return self.coder_.transform(validate_data(self, X, dtype=(np.float64, np.float32), reset=False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.coder_.width
