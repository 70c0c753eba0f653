"""The power spectrum in integers, equal bit for bit to `native/hypertorus_audio.h`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.codes.circular_mean import arrows
from hypertorus.sound.levels import Integers, significant_bits

SIZES = (64, 128, 256)
"""Lengths of a frame: the table of hypertorus.h has the cosines of 256 directions."""

COSINES, SINES = arrows(np.arange(256, dtype=np.uint8), 8).astype(np.int64).T
"""2**14 times the cosine and sine of the directions."""


class Powers(NamedTuple):
    """Powers of frames: `numbers` [n, fft / 2 + 1] times 2**`exponents` [n]; the first and the last are 0."""

    numbers: Integers
    exponents: Integers


def powers(frames: npt.NDArray[np.int16], guard: int) -> Powers:
    """Return the powers of frames [n, fft] under a Hann window, in numbers below 2**(32 - guard).

    >>> tone = np.rint(1000 * np.cos(np.arange(256) * np.pi / 4)).astype(np.int16)  # bin 32; the window's sum is 128
    >>> numbers, exponents = powers(tone[None], guard=2)
    >>> int(numbers[0].argmax()), round(float(numbers[0, 32] * 2.0 ** exponents[0]) ** 0.5)
    (32, 63996)
    """
    fft = frames.shape[1]
    samples = frames.astype(np.int64)
    # What is constant is outside of all bands, so leaving it out only makes room for what is not.
    samples -= samples.sum(axis=1, keepdims=True) + fft // 2 >> fft.bit_length() - 1
    bits = significant_bits(_union(samples))
    window = 2**14 - COSINES[:: 256 // fft]
    scaled = samples * window << 16 - bits[:, None] >> 1
    real, imaginary = _transformed(scaled[:, ::2], scaled[:, 1::2])
    return _unpacked(real, imaginary, fft.bit_length() - 30 + bits, guard)


def _transformed(real: Integers, imaginary: Integers) -> tuple[Integers, Integers]:
    """Return the transform of [n, half] divided by half: a pass by two where the length asks for it, then by fours."""
    half = real.shape[1]
    order = _bit_reversed(half)
    z = np.stack([real[:, order], imaginary[:, order]])  # [2, n, half]
    length = 1
    if half.bit_length() % 2 == 0:
        pairs = z.reshape(2, -1, half // 2, 2) >> 1
        z = np.stack([pairs[..., 0] + pairs[..., 1], pairs[..., 0] - pairs[..., 1]], axis=3).reshape(z.shape)
        length = 2
    while length < half:
        z = _pass_by_four(z.reshape(2, len(real), -1, 4, length)).reshape(z.shape)
        length *= 4
    return z[0], z[1]


def _pass_by_four(z: Any) -> Any:
    """Return a pass over blocks of four parts [2, n, blocks, 4, length], whose middle two are in reversed order."""
    length = z.shape[-1]
    codes = np.arange(length) * 64 // length
    a_re, a_im = z[:, :, :, 0] >> 2
    c_re, c_im = _turned(z[0, :, :, 1], z[1, :, :, 1], 2 * codes)
    b_re, b_im = _turned(z[0, :, :, 2], z[1, :, :, 2], codes)
    d_re, d_im = _turned(z[0, :, :, 3], z[1, :, :, 3], 3 * codes)
    real = [a_re + c_re + (b_re + d_re), a_re - c_re + (b_im - d_im), a_re + c_re - (b_re + d_re)]
    real.append(a_re - c_re - (b_im - d_im))
    imaginary = [a_im + c_im + (b_im + d_im), a_im - c_im - (b_re - d_re), a_im + c_im - (b_im + d_im)]
    imaginary.append(a_im - c_im + (b_re - d_re))
    return np.stack([np.stack(real, axis=2), np.stack(imaginary, axis=2)])


def _turned(real: Integers, imaginary: Integers, codes: Integers) -> tuple[Integers, Integers]:
    """Return complex numbers turned back by these directions, over 4; each product is rounded down."""
    cosine, sine = COSINES[codes], SINES[codes]
    return (
        (real * cosine >> 16) + (imaginary * sine >> 16),
        (imaginary * cosine >> 16) - (real * sine >> 16),
    )


def _unpacked(real: Integers, imaginary: Integers, exponents: Integers, guard: int) -> Powers:
    """Return the powers of the real frames whose even and odd samples were the real and imaginary parts."""
    n, half = real.shape
    shift = (significant_bits(_union(np.concatenate([real, imaginary], axis=1))) - 16).clip(min=0)[:, None]
    k = np.arange(1, half // 2 + 1)
    re, im = real >> 1, imaginary >> 1
    even_re, even_im = re[:, k] + re[:, half - k] >> 2, im[:, k] - im[:, half - k] >> 2
    odd_re, odd_im = _turned(re[:, k] - re[:, half - k], im[:, k] + im[:, half - k], k * (128 // half))
    numbers = np.zeros((n, half + 1), np.int64)
    rounding = 1 << shift >> 1

    def power(a: Integers, b: Integers) -> Integers:
        return ((a + rounding >> shift) ** 2 + (b + rounding >> shift) ** 2) >> guard

    numbers[:, k] = power(even_re + odd_im, even_im - odd_re)
    numbers[:, half - k] = power(even_re - odd_im, even_im + odd_re)
    return Powers(numbers, 2 * (exponents + shift[:, 0]) + guard)


def _union(numbers: Integers) -> Integers:
    """Return a number with as many significant bits as the largest of a row has (a negative one, less 1)."""
    return np.bitwise_or.reduce(numbers ^ (numbers >> 63), axis=1)


def _bit_reversed(half: int) -> npt.NDArray[np.int64]:
    order = np.zeros(1, np.int64)
    while len(order) < half:
        order = np.concatenate([2 * order, 2 * order + 1])
    return order
