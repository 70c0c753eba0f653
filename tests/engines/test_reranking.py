"""Reranking: candidates in any order, the exact nearest of them out."""

import numpy as np
import pytest

from hypertorus.codes import BITS
from hypertorus.engines import rerank
from hypertorus.engines.reranking import _distances
from hypertorus.search import METRICS, Index, distances


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("metric", METRICS)
def test_it_sorts_a_literal_list_of_pairs(bits, metric, make_codes, ids, rng):
    codes, queries = make_codes(bits=bits)
    index = Index(37, bits=bits, metric=metric)
    index.add(codes, ids)
    rows = rng.integers(-1, 300, (len(queries), 30))
    candidates = np.where(rows < 0, -1, ids[rows])
    found = rerank(index, queries, candidates, k=12)
    table = distances(queries, codes, metric, bits)
    for number, own in enumerate(rows):
        pairs = sorted({(int(table[number, row]), int(ids[row])) for row in own if row >= 0})[:12]
        assert list(zip(found.distances[number].tolist(), found.ids[number].tolist(), strict=True)) == pairs


def test_candidates_may_be_few_or_none(make_codes):
    codes, queries = make_codes()
    index = Index(37, metric="l1")
    index.add(codes)
    found = rerank(index, queries[:2], np.array([[-1, -1], [4, 4]]), k=3)
    assert found.ids.tolist() == [[-1, -1, -1], [4, -1, -1]]
    assert found.distances[1].tolist() == [distances(queries[1:2], codes[4:5], "l1")[0, 0], 2**32 - 1, 2**32 - 1]
    assert rerank(index, queries, np.empty((20, 0), int), k=1).ids.tolist() == [[-1]] * 20


def test_many_queries_are_taken_a_part_at_a_time(make_codes, monkeypatch):
    codes, queries = make_codes()
    index = Index(37, metric="l1")
    index.add(codes)
    parts = []
    monkeypatch.setattr("hypertorus.engines.reranking._BYTES_AT_ONCE", 37 * 300 * 3)
    monkeypatch.setattr("hypertorus.engines.reranking._distances", lambda *a: parts.append(len(a[2])) or _distances(*a))
    everything = np.tile(np.arange(300), (20, 1))
    want = index.search(queries, 10)
    found = rerank(index, queries, everything)
    assert parts == [3] * 6 + [2]
    np.testing.assert_array_equal(found.ids, want.ids)
    np.testing.assert_array_equal(found.distances, want.distances)


@pytest.mark.parametrize("candidates", [np.zeros(20, int), np.zeros((20, 3)), np.zeros((19, 3), int)])
def test_candidates_of_another_shape_are_refused(candidates, make_codes):
    codes, queries = make_codes()
    index = Index(37)
    index.add(codes)
    with pytest.raises(ValueError, match="pass ids, a row for each of the 20 queries, with -1 where there are fewer"):
        rerank(index, queries, candidates)


def test_an_unknown_candidate_is_named():
    index = Index(3)
    index.add(np.zeros((4, 3), np.uint8))
    with pytest.raises(ValueError, match="ids holds 9, which is not in the index"):
        rerank(index, np.zeros((1, 3), np.uint8), np.array([[1, 9]]))
