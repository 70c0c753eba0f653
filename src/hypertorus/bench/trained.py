"""Codes of a trained model: two-digit numbers, a hundred classes, of real handwritten digits side by side.

Any number of different inputs can be drawn from the 1,797 digits that scikit-learn brings along. A model is trained on
numbers of some of the digits; the codes to search are of many more numbers of the same digits, and the queries of
numbers of digits that neither has seen. Every image has noise of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

import hypertorus as ht
from hypertorus.bench.data import Codes, Data
from hypertorus.files.atomic import replacing
from hypertorus.files.cache import cache_folder
from hypertorus.files.extras import require

NOISE = 1.0
"""Standard deviation of the noise on pixels of 0 to 16."""

_SEEN = 1200


def number_codes(count: int, queries: int, dim: int) -> Data:
    """Codes of `dim` coordinates of `count` numbers, and of `queries` numbers of unseen digits."""
    require("sklearn", extra="sklearn")
    require("lightning", extra="train")
    rng = np.random.default_rng(count)
    return Data(_codes(rng, count, dim, unseen=False), _codes(rng, queries, dim, unseen=True))


def _codes(rng: np.random.Generator, count: int, dim: int, *, unseen: bool) -> Codes:
    network = model(dim)
    parts = [np.empty((0, dim), np.uint8)]
    for begin in range(0, count, 50_000):
        images, _ = numbers(rng, min(50_000, count - begin), unseen=unseen)
        parts.append(network.encode(images, batch=8192))
    return np.concatenate(parts)


def numbers(
    rng: np.random.Generator, count: int, *, unseen: bool
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Images [count, 128] of two digits each, and the number they show."""
    images, digits = _digits()
    first, last = (_SEEN, len(images)) if unseen else (0, _SEEN)
    left, right = rng.integers(first, last, count), rng.integers(first, last, count)
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
def model(dim: int) -> ht.Model:
    """A torusN model of `dim` angles, trained once and kept in the cache."""
    folder = cache_folder(f"numbers-{ht.__version__}")
    folder.mkdir(parents=True, exist_ok=True)
    images, labels = numbers(np.random.default_rng(1), 20_000, unseen=False)
    with replacing(folder / "numbers.npz") as file:
        np.savez(file, x=images, y=labels)
    settings: dict[str, Any] = {
        "space": "torusN",
        "dim": 2 * dim,
        "encoder": "mlp:256",
        "temperature": 0.1,
        "epochs": 10,
    }
    data, out = folder / "numbers.npz", folder / f"model-{dim}"
    with _one_thread():
        try:
            return ht.train(data, out, **settings, show=False)
        except ValueError:  # it was trained by another state of this version, with other settings
            return ht.train(data, out, **settings, show=False, restart=True)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch use one thread: for so small a network more gain nothing, and on a busy machine they lose much."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
