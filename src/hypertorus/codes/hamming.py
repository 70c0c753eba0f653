"""Torus l1 as Hamming distance, so that every engine that counts differing bits searches the torus exactly."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hypertorus.codes.protocol import Codes, check_codes


def hamming(codes: npt.NDArray[np.integer], bits: int) -> Codes:
    """Grid codes [n, width] of 1 to 4 bits as packed bits [n, bytes] whose Hamming distance is their l1 distance.

    A coordinate of `bits` bits becomes 2^(bits-1) bits, 1, 2, 4 or 8 of them. Going round its circle sets them one
    after the other and then clears them in the same order, so that every step flips one bit and half a turn flips
    all (for 2 bits this is the Gray code 00 01 11 10). The first coordinate's first bit is the lowest bit of the first
    byte; unused bits of the last byte are zero.

    >>> import numpy as np
    >>> hamming(np.array([[0, 1, 2, 3]]), bits=2)
    array([[180]], dtype=uint8)
    """
    check_hamming_bits(bits)
    codes = np.asarray(codes)
    codes = check_codes(codes, codes.shape[1] if codes.ndim == 2 else 0, bits)
    steps = np.arange(2 ** (bits - 1), dtype=np.uint8)
    after = (codes[:, :, None] - steps - np.uint8(1)) & np.uint8(2**bits - 1)
    flags = (after < 2 ** (bits - 1)).reshape(len(codes), codes.shape[1] * len(steps))
    return np.packbits(flags, axis=1, bitorder="little")


def check_hamming_bits(bits: int) -> int:
    if isinstance(bits, bool) or bits not in range(1, 5):
        raise ValueError(f"bits is {bits!r}; the Hamming view is for 1 to 4 bits (8 would take 128 bits a coordinate).")
    return int(bits)
