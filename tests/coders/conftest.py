"""Vectors with neighbours to keep, and a coder of each kind that was fitted to them for a moment."""

import numpy as np
import pytest

import hypertorus as ht


@pytest.fixture(scope="session")
def vectors():
    """A thousand vectors of 40 numbers around 50 centres, most of their variance in a few directions."""
    rng = np.random.default_rng(0)
    spread = rng.normal(size=(40, 40)) * 0.85 ** np.arange(40)
    return ((rng.normal(size=(50, 40))[np.arange(1000) % 50] + 0.7 * rng.normal(size=(1000, 40))) @ spread.T).astype(
        "f4"
    )


@pytest.fixture(scope="session", params=["plain", "torus"])
def coder(request, vectors):
    return ht.codes_for(vectors, bytes=6, kind=request.param, steps=30)
