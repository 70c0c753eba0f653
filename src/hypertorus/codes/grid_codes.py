"""Grid codes: every coordinate by itself, on a grid of 2^bits cells."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hypertorus.codes.grid import cells
from hypertorus.codes.minmax import Range
from hypertorus.codes.packing import check_depth
from hypertorus.codes.protocol import Codes, Floats, NotFittedError, Quantiser, check_codes
from hypertorus.spaces import Space, Torus

_ROWS_AT_ONCE = 2**12


class GridCodes(Quantiser):
    """`bits` bits (1 to 8) for each coordinate.

    On a torus the grid is the period itself: nothing to fit, overflow wraps as the circle does, and depths nest, for
    `code8 >> (8 - bits)` is the code of `bits` bits. A sphere has no period: its grid spans, in each dimension, the
    smallest to the largest number seen by `fit`. `minmax=True` lays that grid on a torus too, as the paper's published
    code does; it is there to reproduce published numbers, and it breaks the period of every circle it does not fill.
    `sigma=True` lays the sphere's grid around the mean of each dimension instead, as wide as suits a normal
    distribution: 1.6, 1.99 and 2.68 standard deviations to each side at 1, 2 and 4 bits.

    >>> import numpy as np
    >>> from hypertorus import TorusN
    >>> grid = GridCodes(TorusN(4), bits=8)
    >>> codes = grid.encode(np.array([[1.0, 0.0, 0.0, -1.0]]))
    >>> codes
    array([[  0, 192]], dtype=uint8)
    >>> grid.bits_per_vector, grid.codebook_size
    (16, 0)
    """

    def __init__(self, space: Space, bits: int = 8, *, minmax: bool | None = None, sigma: bool = False) -> None:
        if minmax is False and not isinstance(space, Torus):
            raise ValueError(f"{space.name} has no period; its grid is always fitted, so leave minmax out.")
        if sigma and isinstance(space, Torus):
            raise ValueError(f"the grid of {space.name} is its period; sigma=True is for the sphere, so leave it out.")
        self.space, self.bits, self.sigma = space, check_depth(bits), sigma
        self.minmax = not isinstance(space, Torus) if minmax is None else minmax
        self.range: Range | None = None

    def __repr__(self) -> str:
        fitted = ", sigma=True" if self.sigma else ", minmax=True" if self.minmax else ""
        return f"GridCodes({self.space}, bits={self.bits}{fitted})"

    @property
    def name(self) -> str:
        published = self.minmax and isinstance(self.space, Torus)
        return f"{self.bits}bit{'-sigma' if self.sigma else '-minmax' if published else ''}"

    @property
    def width(self) -> int:
        """How many coordinates a code has."""
        return self.space.flat_dim if isinstance(self.space, Torus) else self.space.dim

    @property
    def codebook_size(self) -> int:
        return 2 * self.width if self.minmax else 0

    @property
    def bits_per_vector(self) -> int:
        return self.bits * self.width

    def fit(self, raw: npt.NDArray[Any]) -> Self:
        if self.minmax:
            flat = self._flat(raw)
            self.range = Range.around(flat, self.bits) if self.sigma else Range.of(flat)
        return self

    def encode(self, raw: npt.NDArray[Any]) -> Codes:
        codes = np.empty((len(raw), self.width), np.uint8)
        # A few rows at a time: their numbers stay in the cache from the angle to the code.
        for begin in range(0, max(1, len(raw)), _ROWS_AT_ONCE):
            rows = slice(begin, begin + _ROWS_AT_ONCE)
            codes[rows] = self._cells(self._flat(raw[rows]))
        return codes

    def decode(self, codes: npt.NDArray[np.integer]) -> Floats:
        flat = (check_codes(codes, self.width, self.bits).astype(np.float64) + 0.5) / 2**self.bits
        if self.minmax:
            flat = self.fitted().low + flat * self.fitted().span
        if isinstance(self.space, Torus) and self.space.dim != self.width:
            flat = self.space.point(flat)
        return flat.astype(np.float32)

    def vectors(self, codes: npt.NDArray[np.integer]) -> Floats:
        values = check_codes(codes, self.width, self.bits).astype(np.float64) / 2**self.bits
        return (self.space.point(values) if isinstance(self.space, Torus) else values).astype(np.float32)

    def _flat(self, raw: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return self.space.turns(raw) if isinstance(self.space, Torus) else self.space.project(raw)

    def _cells(self, flat: npt.NDArray[Any]) -> Codes:
        if not self.minmax:
            return cells(flat, self.bits)
        return self.fitted().levels(flat, self.bits)

    def fitted(self) -> Range:
        """The range that `fit` saw."""
        if self.range is None:
            raise NotFittedError(self)
        return self.range
