"""Codes to search: uniform ones, which have no structure at all, clusters, and those of a trained model."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.uint8]


class Data(NamedTuple):
    """Codes to search and codes to search for, of 8 bits."""

    codes: Codes
    queries: Codes


def uniform_data(count: int, queries: int, dim: int) -> Data:
    rng = np.random.default_rng(dim)
    return Data(rng.integers(0, 256, (count, dim), np.uint8), rng.integers(0, 256, (queries, dim), np.uint8))


def clustered_data(count: int, queries: int, dim: int) -> Data:
    """A thousand clusters, each a tenth of a turn wide."""
    rng = np.random.default_rng(dim)
    centres = rng.integers(0, 256, (1000, dim), np.uint8)

    def near(number: int) -> Codes:
        return centres[rng.integers(0, 1000, number)] + rng.integers(0, 24, (number, dim), np.uint8)

    return Data(near(count), near(queries))


def trained_data(count: int, queries: int, dim: int) -> Data:
    """Codes of a model of two-digit numbers, which is trained when it is first needed, and kept."""
    from hypertorus.bench.trained import number_codes

    return number_codes(count, queries, dim)


KINDS: dict[str, Callable[[int, int, int], Data]] = {
    "trained": trained_data,
    "clustered": clustered_data,
    "uniform": uniform_data,
}
"""The kinds of codes by name, from the most structure to none."""


def missing(kind: str) -> str | None:
    """The extra that has to be installed for a kind of codes, or None."""
    needs = {"sklearn": "sklearn", "lightning": "train"} if kind == "trained" else {}
    return next((extra for module, extra in needs.items() if find_spec(module) is None), None)
