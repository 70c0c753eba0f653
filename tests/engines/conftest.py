"""Codes of three hundred vectors in a few clusters, and the ids they are stored under."""

import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def make_codes(rng):
    """A function that makes n codes and some queries of a number of bits, near a few centres."""

    def make(n=300, dim=37, bits=8, queries=20):
        centres = rng.integers(0, 256, (6, dim), np.uint8)
        both = centres[rng.integers(0, 6, n + queries)] + rng.integers(0, 90, (n + queries, dim), np.uint8)
        codes = both >> np.uint8(8 - bits)
        return codes[:n], codes[n:]

    return make


@pytest.fixture
def ids(rng):
    """Ids of 64 bits in no order."""
    return rng.permutation(300) * 2**33 + 5
