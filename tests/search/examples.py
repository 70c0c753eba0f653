"""An index to try things on, and what makes two of them the same."""

import numpy as np

from hypertorus.search import Index


def example(n=40, dim=9, bits=8, metric="cosine", *, seed=0, labels=None):
    rng = np.random.default_rng(seed)
    index = Index(dim, bits, metric)
    for part in range(2):
        codes = rng.integers(0, 2**bits, (n, dim))
        index.add(codes, ids=rng.permutation(9 * n)[:n] + 9 * n * part, labels=None if labels is None else labels[:n])
    return index


def same(a, b):
    assert (a.dim, a.bits, a.metric, len(a)) == (b.dim, b.bits, b.metric, len(b))
    np.testing.assert_array_equal(a.ids, b.ids)
    np.testing.assert_array_equal(a.vectors(a.ids), b.vectors(b.ids))
    assert (a.labels is None) == (b.labels is None)
    if a.labels is not None:
        np.testing.assert_array_equal(a.labels, b.labels)
    queries = np.random.default_rng(9).integers(0, 2**a.bits, (3, a.dim))
    np.testing.assert_array_equal(tuple(a.search(queries)), tuple(b.search(queries)))
