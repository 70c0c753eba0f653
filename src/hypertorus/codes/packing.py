"""Codes of 1 to 8 bits a coordinate, packed into bytes: coordinate 0 sits in the lowest bits of byte 0."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

BITS = (8, 4, 2, 1)
"""The bit depths that fill bytes without a gap, which are those that can be searched."""


def check_bits(bits: int) -> int:
    """Bits of a coordinate that is to be searched."""
    if isinstance(bits, bool) or bits not in BITS:
        raise ValueError(f"bits is {bits!r}; a coordinate has {', '.join(map(str, BITS[:-1]))} or {BITS[-1]}.")
    return int(bits)


def check_depth(bits: int) -> int:
    """Bits of a coordinate that is to be stored."""
    if isinstance(bits, bool) or bits not in range(1, 9):
        raise ValueError(f"bits is {bits!r}; a coordinate has 1 to 8 bits.")
    return int(bits)


def packed_width(dim: int, bits: int) -> int:
    """How many bytes a packed vector takes.

    >>> packed_width(dim=5, bits=4)
    3
    """
    return (dim * bits + 7) // 8


def pack(codes: npt.NDArray[Any], bits: int = 8) -> npt.NDArray[np.uint8]:
    """Integer codes [n, dim], one number a coordinate, to bytes [n, ceil(dim * bits / 8)].

    What the last byte of a vector has no coordinate for is zero.

    >>> pack(np.array([[1, 2, 3]]), bits=4)
    array([[33,  3]], dtype=uint8)
    """
    check_depth(bits)
    if not isinstance(codes, np.ndarray) or codes.ndim != 2:
        raise ValueError(f"codes is {_shape(codes)}; pass a numpy matrix [vectors, coordinates].")
    check_range(codes, bits, "codes")
    if bits == 8:
        return np.ascontiguousarray(codes, np.uint8)
    if 8 % bits:
        planes = codes.astype(np.uint8)[:, :, None] >> np.arange(bits, dtype=np.uint8) & np.uint8(1)
        return np.packbits(planes.reshape(len(codes), codes.shape[1] * bits), axis=1, bitorder="little")
    n, dim = codes.shape
    per_byte = 8 // bits
    fields = np.zeros((n, packed_width(dim, bits) * per_byte), np.uint8)
    fields[:, :dim] = codes
    packed = fields[:, ::per_byte].copy()
    for place in range(1, per_byte):
        packed |= fields[:, place::per_byte] << (place * bits)
    return packed


def unpack(packed: npt.NDArray[np.uint8], dim: int, bits: int = 8) -> npt.NDArray[np.uint8]:
    """Packed bytes [n, ceil(dim * bits / 8)] back to one number a coordinate [n, dim].

    >>> unpack(np.array([[33, 3]], np.uint8), dim=3, bits=4)
    array([[1, 2, 3]], dtype=uint8)
    """
    width = packed_width(dim, check_depth(bits))
    if not isinstance(packed, np.ndarray) or packed.dtype != np.uint8 or packed.shape[1:] != (width,):
        raise ValueError(
            f"packed is {_shape(packed)}; {dim} coordinates of {bits} bits are bytes [n, {width}] of uint8."
        )
    if bits == 8:
        return packed.copy()
    if 8 % bits:
        planes = np.unpackbits(packed, axis=1, count=dim * bits, bitorder="little").reshape(len(packed), dim, bits)
        return np.packbits(planes, axis=2, bitorder="little")[:, :, 0]
    per_byte = 8 // bits
    fields = np.empty((len(packed), width * per_byte), np.uint8)
    for place in range(per_byte):
        fields[:, place::per_byte] = (packed >> (place * bits)) & (2**bits - 1)
    return fields[:, :dim].copy()


def check_range(codes: npt.NDArray[Any], bits: int, what: str, first_row: int = 0) -> None:
    """Raise unless these are integers of `bits` bits; `first_row` is what row 0 is called in the error."""
    if codes.dtype.kind not in "iu":
        raise TypeError(f"{what} holds {codes.dtype}; pass integers from 0 to {2**bits - 1}, for example as uint8.")
    if codes.size == 0 or (codes.dtype == np.uint8 and bits == 8):
        return
    if codes.min() < 0 or codes.max() >= 2**bits:
        row, column = np.argwhere((codes < 0) | (codes >= 2**bits))[0]
        value = codes[row, column]
        raise ValueError(
            f"{what} holds {value} in row {first_row + row}; a coordinate of {bits} bits is 0 to {2**bits - 1}."
        )


def _shape(array: Any) -> str:
    if isinstance(array, np.ndarray):
        return f"an array of {array.dtype} with shape {array.shape}"
    return f"a {type(array).__name__}"
