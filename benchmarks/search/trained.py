"""Codes of a trained model: two-digit numbers, a hundred classes, of real handwritten digits side by side.

Any number of different inputs can be drawn from the 1,797 digits that scikit-learn brings along. A model is trained on
numbers of some of the digits; the codes to search are of many more numbers of the same digits, and the queries of
numbers of digits that neither has seen. Every image has noise of its own.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

import hypertorus as ht
from benchmarks.search.contestants import Codes, Data

NOISE = 1.0
"""Standard deviation of the noise on pixels of 0 to 16."""

_SEEN = 1200
_CACHE = Path("build/numbers")


def trained_data(n: int, queries: int, size: int) -> Data:
    """Codes of `size` bytes of `n` numbers, and of `queries` numbers of unseen digits."""
    rng = np.random.default_rng(n)
    return Data(_codes(rng, n, size, unseen=False), _codes(rng, queries, size, unseen=True))


def _codes(rng: np.random.Generator, n: int, size: int, *, unseen: bool) -> Codes:
    network = model(size)
    parts = [np.empty((0, size), np.uint8)]
    for begin in range(0, n, 50_000):
        images, _ = numbers(rng, min(50_000, n - begin), unseen=unseen)
        parts.append(network.encode(images, batch=8192))
    return np.concatenate(parts)


def numbers(rng: np.random.Generator, n: int, *, unseen: bool) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Images [n, 128] of two digits each, and the number they show."""
    images, digits = _digits()
    first, last = (_SEEN, len(images)) if unseen else (0, _SEEN)
    left, right = rng.integers(first, last, n), rng.integers(first, last, n)
    pairs = np.concatenate([images[left], images[right]], axis=1)
    noisy = pairs + NOISE * rng.standard_normal(pairs.shape, np.float32)
    return noisy.astype(np.float32), 10 * digits[left] + digits[right]


@cache
def _digits() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    from sklearn.datasets import load_digits

    images, digits = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(images))
    return images[order].astype(np.float32), digits[order].astype(np.int64)


@cache
def model(size: int) -> ht.Model:
    """A torusN model of `size` angles, trained once and kept."""
    rng = np.random.default_rng(1)
    images, labels = numbers(rng, 20_000, unseen=False)
    _CACHE.mkdir(parents=True, exist_ok=True)
    np.savez(_CACHE / "numbers.npz", x=images, y=labels)
    folder = _CACHE / f"model-{size}"
    return ht.train(_CACHE / "numbers.npz", folder, space="torusN", dim=2 * size, encoder="mlp:256", epochs=10)
