"""Changing a few codes costs little, however many there are."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from hypertorus.search import Index

MANY = 2_000_000
LITTLE = 40_000
"""Bytes: less than a fifth of a bit for each code."""


@pytest.fixture(scope="module")
def index() -> Index:
    index = Index(4)
    index.add(np.random.default_rng(0).integers(0, 256, (MANY, 4), np.uint8))
    return index


def bytes_taken(change: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        change()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_removing_a_few_takes_little_memory(index: Index) -> None:
    index.remove([1])
    assert bytes_taken(lambda: index.remove([MANY - 1])) < LITTLE  # which is in another page
    assert bytes_taken(lambda: index.remove([6, 7])) < LITTLE
    assert len(index) == MANY - 4


def test_adding_a_few_after_a_removal_takes_little_memory(index: Index) -> None:
    index.remove([10])
    index.add(np.zeros((1, 4), np.uint8))  # which makes a segment with room
    assert bytes_taken(lambda: index.add(np.zeros((3, 4), np.uint8))) < LITTLE
