"""The literal formulas that every search result is held against."""

import math

import numpy as np
import pytest

from hypertorus.search import isa_name, isas, use_isa

NO_DISTANCE = 2**32 - 1


class Oracle:
    @staticmethod
    def distances(a, b, metric, bits=8):
        """min(a - b, b - a) with overflow, coordinate by coordinate, for all pairs."""
        period = 2**bits
        difference = (np.asarray(a, np.int64)[:, None, :] - np.asarray(b, np.int64)[None, :, :]) % period
        arc = np.minimum(difference, period - difference)
        chord = np.array([round(2**14 * (1 - math.cos(math.tau * i / period))) for i in range(period // 2 + 1)])
        return {"l1": arc, "l2": arc * arc, "cosine": chord[arc]}[metric].sum(axis=-1)

    @classmethod
    def search(cls, ids, codes, queries, k, metric, *, bits=8):
        """All distances, sorted by (distance, id), the first k of each query."""
        ids = np.asarray(ids, np.int64)
        found = np.full((len(queries), k), -1, np.int64)
        distances = np.full((len(queries), k), NO_DISTANCE, np.uint32)
        for row, of_query in enumerate(cls.distances(queries, codes, metric, bits)):
            order = np.lexsort((ids, of_query))[:k]
            found[row, : len(order)] = ids[order]
            distances[row, : len(order)] = of_query[order]
        return found, distances


@pytest.fixture(scope="session")
def oracle():
    return Oracle


@pytest.fixture(params=isas())
def isa(request):
    usual = isa_name()
    use_isa(request.param)
    yield request.param
    use_isa(usual)


@pytest.fixture(autouse=True)
def eager_threads(monkeypatch):
    """Threads start for little work, and only less than that is done at once, so that small data meets both."""
    monkeypatch.setattr("hypertorus.search._scan._WORTH_A_THREAD", 2**14)
    monkeypatch.setattr("hypertorus.search._scan._AT_ONCE", 2**13)
