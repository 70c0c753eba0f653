"""The door through which codes enter: arrays of any kind, checked and packed a piece at a time."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes import check_bits, pack, packed_width, unpack
from hypertorus.codes.grid import grid_codes
from hypertorus.codes.packing import check_range
from hypertorus.search._library import LARGEST_DIM, call
from hypertorus.spaces._arrays import namespace, to_numpy


@dataclass(frozen=True)
class Shape:
    """Vectors of `dim` coordinates of `bits` bits: what they take as packed rows, and as blocks to be scanned.

    A vector comes in as one number a coordinate: an integer of the right range, or a float, which is taken as turns
    and quantised on the way.
    """

    dim: int
    bits: int

    def __post_init__(self) -> None:
        try:
            dim = 0 if isinstance(self.dim, bool) else operator.index(self.dim)
        except TypeError:
            dim = 0
        if not 1 <= dim <= LARGEST_DIM:
            raise ValueError(f"dim is {self.dim!r}; it must be a whole number from 1 to {LARGEST_DIM}.")
        # A number of numpy becomes one of Python, which does not overflow and can be written as JSON.
        object.__setattr__(self, "dim", dim)
        object.__setattr__(self, "bits", check_bits(self.bits))

    @property
    def width(self) -> int:
        """Bytes of a packed row."""
        return packed_width(self.dim, self.bits)

    def block_bytes(self, count: int) -> int:
        """Bytes of a store of `count` vectors."""
        return call("ht_block_bytes", count, self.dim, self.bits)

    def packed(self, vectors: Any, what: str) -> npt.NDArray[np.uint8]:
        """All vectors [n, dim] as packed rows [n, width]; those that are so already are not copied."""
        if (
            self.bits == 8 and type(vectors) is np.ndarray and vectors.dtype == np.uint8
        ):  # for the sake of small searches
            shape = vectors.shape
            if len(shape) == 2 and shape[1] == self.dim and shape[0] and vectors.flags.c_contiguous:
                return vectors
        rows = np.empty((self.check(vectors, what), self.width), np.uint8)
        for begin, piece in self.pieces(vectors, what):
            rows[begin : begin + len(piece)] = piece
        return rows

    def pieces(self, vectors: Any, what: str) -> Iterator[tuple[int, npt.NDArray[np.uint8]]]:
        """Packed rows [some, width] one piece after the other, each with the row it begins at."""
        self.check(vectors, what)
        turns = namespace(vectors).isdtype(vectors.dtype, "real floating")
        step = max(1, _NUMBERS_AT_ONCE // self.dim)
        for begin in range(0, len(vectors), step):
            piece = vectors[begin : begin + step]
            if turns:
                codes = grid_codes(piece, self.bits, what, begin)
            else:
                codes = to_numpy(piece)
                check_range(codes, self.bits, what, begin)
            yield begin, pack(codes, self.bits)

    def unpacked(self, rows: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        return unpack(rows, self.dim, self.bits)

    def check(self, vectors: Any, what: str) -> int:
        """How many vectors there are, once it is clear that they may be vectors of this shape."""
        check_unmasked(vectors, what)
        xp = namespace(vectors)
        if xp is None:
            raise TypeError(f"{what} is a {type(vectors).__name__}; pass a numpy array or a torch tensor.")
        if not xp.isdtype(vectors.dtype, ("integral", "real floating")):
            raise TypeError(f"{what} holds {vectors.dtype}; pass integer codes, or turns as floating-point numbers.")
        shape = tuple(vectors.shape)
        if len(shape) != 2 or shape[1] != self.dim:
            cut = f", for a narrowed index as model.encode(x, coordinates={self.dim}, bits={self.bits}) gives it"
            wider = len(shape) == 2 and shape[1] > self.dim
            raise ValueError(f"{what} has shape {shape}; pass a matrix [vectors, {self.dim}]{cut if wider else ''}.")
        if shape[0] == 0:
            raise ValueError(f"{what} has shape {shape}, which is empty; pass at least one row.")
        return shape[0]


_NUMBERS_AT_ONCE = 2**20


def check_unmasked(array: Any, what: str) -> None:
    """Raise if numbers of this array are masked, because numpy would silently take what lies under the mask."""
    if is_masked(array):
        raise ValueError(f"{what} has masked entries, which have no value; leave them out, or fill them with filled().")


def is_masked(array: Any) -> bool:
    """Whether this is an array of `numpy.ma` with masked entries, without importing it to find out."""
    if type(array) is np.ndarray:
        return False
    return isinstance(array, np.ndarray) and bool(np.any(getattr(array, "mask", False)))
