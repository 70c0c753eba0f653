"""Codes to cut into shards, one index of all of them, and a Dask cluster of real processes."""

import numpy as np
import pytest

from hypertorus.search import Index


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def codes():
    """Codes with many ties, so that ids decide."""
    return np.random.default_rng(0).integers(0, 6, (300, 5)).astype(np.uint8) * 40


@pytest.fixture
def queries():
    return np.random.default_rng(1).integers(0, 6, (7, 5)).astype(np.uint8) * 40


@pytest.fixture(scope="session")
def whole():
    """One index of everything, which every sharded search is held against."""

    def make(codes, bits=8, metric="l1", **columns):
        index = Index(codes.shape[1], bits, metric)
        index.add(codes, **columns)
        return index

    return make


@pytest.fixture(scope="session")
def same():
    """Hold two results against each other, bit for bit."""

    def check(found, expected):
        assert (found.ids.dtype, found.distances.dtype) == (expected.ids.dtype, expected.distances.dtype)
        np.testing.assert_array_equal(found.ids, expected.ids)
        np.testing.assert_array_equal(found.distances, expected.distances)
        assert found.asymmetric == expected.asymmetric

    return check
