"""The grid of a torus: every circle is cut into 2^bits equal arcs, and a code is the number of its arc.

The period is fixed, never measured: that is what lets overflow do the wrapping, and what makes bit depths nest,
for `code8 >> (8 - bits)` is the code of `bits` bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes.packing import check_depth
from hypertorus.spaces._arrays import is_tensor, namespace, to_numpy


def quantise(turns: Any, bits: int = 8) -> npt.NDArray[np.uint8]:
    """Turns [..., dim] in [0, 1), numpy or torch, to codes [..., dim]: floor(turns * 2^bits), as numpy integers.

    Exactly 1, which `% 1` can round to, is the same place as 0 and becomes 0. Works through big arrays in pieces.

    >>> quantise(np.array([[0.0, 0.25, 0.999, 1.0]]))
    array([[  0,  64, 255,   0]], dtype=uint8)
    >>> quantise(np.array([[0.0, 0.25, 0.999, 1.0]]), bits=2)
    array([[0, 1, 3, 0]], dtype=uint8)
    """
    check_depth(bits)
    check_turns(turns, "turns")
    codes = np.empty(tuple(turns.shape), np.uint8)
    rows = max(1, _NUMBERS_AT_ONCE // max(1, codes[:1].size))
    for begin in range(0, len(codes), rows):
        codes[begin : begin + rows] = grid_codes(turns[begin : begin + rows], bits, "turns", begin)
    return codes


_NUMBERS_AT_ONCE = 2**20


def check_turns(turns: Any, what: str) -> None:
    xp = namespace(turns)
    if xp is None:
        raise TypeError(f"{what} is a {type(turns).__name__}; pass a numpy array or a torch tensor.")
    if not xp.isdtype(turns.dtype, "real floating"):
        raise TypeError(f"{what} holds {turns.dtype}; turns are floating-point numbers in [0, 1).")
    if turns.ndim == 0:
        raise ValueError(f"{what} is a single number; pass turns [..., coordinates].")


def grid_codes(turns: Any, bits: int, what: str, first_row: int = 0) -> npt.NDArray[np.uint8]:
    """One piece of `quantise`; `first_row` is what row 0 is called in an error."""
    wide = turns_in_range(turns, what, first_row)
    return cells(np.where(wide < 1, wide, 0), bits)


def turns_in_range(turns: Any, what: str, first_row: int = 0) -> npt.NDArray[Any]:
    """Turns as numbers of numpy, once all of them are from 0 to 1."""
    wide = to_numpy(turns.float() if is_tensor(turns) and turns.dtype.itemsize < 4 else turns)
    inside = (wide >= 0) & (wide <= 1)
    if not inside.all():
        broken = tuple(np.argwhere(~inside)[0])
        raise ValueError(
            f"{what} holds {wide[broken]} in row {first_row + broken[0]}; turns are in [0, 1), "
            "so take raw numbers through a space first: TorusN(dim).turns(raw)."
        )
    return wide


def cells(turns: npt.NDArray[Any], bits: int) -> npt.NDArray[np.uint8]:
    """floor(turns * 2^bits) of turns that are known to be in [0, 1)."""
    return (turns * turns.dtype.type(2**bits)).astype(np.uint8)
