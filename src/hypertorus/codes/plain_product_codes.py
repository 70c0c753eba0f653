"""Product quantisation of a torus as the paper has it: k-means on the integers as if they did not wrap."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes.grid_codes import GridCodes
from hypertorus.codes.product_codes import ProductCodes
from hypertorus.codes.protocol import Floats, check_codes
from hypertorus.spaces import Space, Torus


class PlainProductCodes(ProductCodes):
    """`ProductCodes` to compare with: centroids are means of 8-bit integers, blind to the wrap from 255 to 0.

    They are still compared around the circle. `published=True` does all as the paper's code does, and gives its
    precision: the integers are those of the min-max grid, and they are compared as plain numbers.
    """

    def __init__(self, space: Space, bits: int = 8, subspaces: int = 16, *, published: bool = False) -> None:
        if not isinstance(space, Torus):
            raise ValueError(  # noqa: TRY004
                f"{space.name} has no wrap to be blind to; its ProductCodes are plain already."
            )
        super().__init__(space, bits, subspaces)
        self.torus, self.published = space, published
        self.grid = GridCodes(space, 8, minmax=published)

    def __repr__(self) -> str:
        return f"PlainProductCodes({self.space}, bits={self.bits}, subspaces={self.subspaces})"

    @property
    def name(self) -> str:
        return f"{super().name}-{'published' if self.published else 'plain'}"

    def vectors(self, codes: npt.NDArray[np.integer]) -> Floats:
        chosen = self._fitted()[np.arange(self.subspaces), check_codes(codes, self.subspaces, self.bits)]
        turns = chosen.reshape(len(codes), -1) / 256
        return (turns if self.published else self.torus.point(turns)).astype(np.float32)

    def decode(self, codes: npt.NDArray[np.integer]) -> Floats:
        turns = self._fitted()[np.arange(self.subspaces), check_codes(codes, self.subspaces, self.bits)] / 256
        turns = turns.reshape(len(codes), -1)
        if self.published:
            turns = self.grid.fitted().low + turns * self.grid.fitted().span
        return (turns if self.space.dim == self.torus.flat_dim else self.torus.point(turns)).astype(np.float32)

    def _pieces(self, raw: npt.NDArray[Any]) -> Floats:
        return self.grid.encode(raw).astype(np.float32).reshape(len(raw), self.subspaces, -1)

    def _placed(self, centroids: Floats) -> Floats:
        return centroids
