"""Sign codes: one bit for each number of a point, the paper's 1-bit quantisation of torusN."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hypertorus.codes.minmax import Range
from hypertorus.codes.protocol import Codes, Floats, NotFittedError, Quantiser, check_codes
from hypertorus.spaces import Space, Torus


class SignCodes(Quantiser):
    """A bit for each of the `ambient_dim` numbers of a point: 1 where it is negative. Compared by Hamming distance.

    Not to be confused with `GridCodes(space, bits=1)`, which on a torus is one bit for each *angle*, half as many. On
    a torus the two signs of an angle are the Gray code of its 2-bit grid code, so sign codes are 2-bit codes under
    l1. `minmax=True` cuts each dimension in the middle of what `fit` saw instead of at zero, as published.

    >>> import numpy as np
    >>> from hypertorus import TorusN
    >>> SignCodes(TorusN(4)).encode(np.array([[1.0, 2.0, -3.0, -1.0]]))
    array([[0, 0, 1, 1]], dtype=uint8)
    """

    def __init__(self, space: Space, *, minmax: bool = False) -> None:
        self.space, self.minmax = space, minmax
        self.range: Range | None = None

    def __repr__(self) -> str:
        return f"SignCodes({self.space}{', minmax=True' if self.minmax else ''})"

    @property
    def name(self) -> str:
        return "sign-minmax" if self.minmax else "sign"

    @property
    def codebook_size(self) -> int:
        return 2 * self.space.ambient_dim if self.minmax else 0

    @property
    def bits_per_vector(self) -> int:
        return self.space.ambient_dim

    def fit(self, raw: npt.NDArray[Any]) -> Self:
        if self.minmax:
            self.range = Range.of(self.space.project(raw))
        return self

    def encode(self, raw: npt.NDArray[Any]) -> Codes:
        point = self.space.project(raw)
        if not self.minmax:
            return (point < 0).astype(np.uint8)
        if self.range is None:
            raise NotFittedError(self)
        return 1 - self.range.levels(point, bits=1)

    def decode(self, codes: npt.NDArray[np.integer]) -> Floats:
        signs = 1 - 2 * check_codes(codes, self.space.ambient_dim, bits=1).astype(np.float32)
        if isinstance(self.space, Torus) and self.space.dim != self.space.ambient_dim:
            return self.space.turns_of_point(signs)
        return self.space.project(signs)

    def vectors(self, codes: npt.NDArray[np.integer]) -> Floats:
        signs = 1 - 2 * check_codes(codes, self.space.ambient_dim, bits=1).astype(np.float32)
        return signs / np.float32(math.sqrt(self.space.ambient_dim))
