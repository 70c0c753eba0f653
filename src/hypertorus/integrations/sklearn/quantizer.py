"""`TorusQuantizer`: turns raw numbers into codes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from hypertorus.codes import GridCodes
from hypertorus.spaces import Torus, TorusN, space


class TorusQuantizer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Quantises the numbers of each row to `bits` bits per coordinate on a torus; fitting learns only the width.

    Parameters: `space`, "torusN" (a code for each pair of numbers; an unpaired last number is paired with 0) or
    "torusC" (a code for each number, with period 1), and `bits`, from 1 to 8.

    >>> import numpy as np
    >>> TorusQuantizer().fit_transform(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]))
    array([[  0],
           [ 64],
           [128]], dtype=uint8)
    """

    def __init__(self, space: str = "torusN", bits: int = 8) -> None:
        self.space = space
        self.bits = bits

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        X = validate_data(self, X, dtype=(np.float64, np.float32))
        self.codes_ = GridCodes(torus_for(self.space, X.shape[1]), self.bits)
        return self

    def transform(self, X: Any) -> npt.NDArray[np.uint8]:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=(np.float64, np.float32), reset=False)
        return self.codes_.encode(even(X, self.codes_.space.dim))

    def inverse_transform(self, codes: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
        """Return the numbers in the middle of the codes' cells; for torusN, pairs of norm 1."""
        check_is_fitted(self)
        return self.codes_.decode(codes)[:, : self.n_features_in_]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.codes_.width


def torus_for(name: str, features: int) -> Torus:
    """Return the torus for rows of this many numbers."""
    torus = space(name, features + features % 2 if name == TorusN.name else features)
    if isinstance(torus, Torus):
        return torus
    raise ValueError(f"space is {name!r}; choose a torus, 'torusN' or 'torusC'.")


def even(X: npt.NDArray[Any], dim: int) -> npt.NDArray[Any]:
    """Return the rows, with a 0 appended if their length is odd and the torus needs pairs."""
    return X if X.shape[1] == dim else np.pad(X, ((0, 0), (0, dim - X.shape[1])))
