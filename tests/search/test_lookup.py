import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hypertorus.search import _lookup
from hypertorus.search._lookup import Lookup


@given(data=st.data(), few=st.sampled_from([0, 3, 1024]))
def test_the_last_position_is_found_in_every_state(data, few):
    """States of any length are asked in any order, as threads do that hold older ones."""
    ids = np.array(data.draw(st.lists(st.integers(0, 12), max_size=40)), np.int64)
    lookup, wanted = Lookup(), np.arange(-1, 14)
    usual, _lookup._FEW = _lookup._FEW, few
    try:
        for count in data.draw(st.lists(st.integers(0, len(ids)), min_size=1, max_size=6)):
            places = {int(one): position for position, one in enumerate(ids[:count])}
            found = lookup.positions(ids[:count], wanted, ascending=False)
            assert found.tolist() == [places.get(one, -1) for one in wanted.tolist()]
    finally:
        _lookup._FEW = usual


@given(st.sets(st.integers(0, 100)))
def test_ids_that_ascend_need_no_order(some):
    ids, wanted = np.array(sorted(some), np.int64), np.arange(101)
    want = [sorted(some).index(one) if one in some else -1 for one in range(101)]
    assert Lookup().positions(ids, wanted, ascending=True).tolist() == want


def test_adding_ids_sorts_few_of_them_again(monkeypatch):
    ids, lookup, ordered = np.random.default_rng(0).permutation(40_000), Lookup(), []
    argsort = np.argsort

    def count(numbers, **options):
        ordered.append(len(numbers))
        return argsort(numbers, **options)

    monkeypatch.setattr(np, "argsort", count)
    for end in range(500, 40_001, 500):
        assert lookup.positions(ids[:end], ids[end - 1 : end], ascending=False) == end - 1
    assert sum(ordered) < 8 * 40_000
    np.testing.assert_array_equal(lookup.positions(ids, ids, ascending=False), np.arange(40_000))


@given(st.lists(st.integers(0, 12), max_size=40), st.sampled_from([np.int64, np.uint32]))
def test_an_order_that_is_known_is_used(some, dtype):
    ids, wanted = np.array(some, np.int64), np.arange(-1, 14)
    lookup = Lookup(np.argsort(ids, kind="stable").astype(dtype))
    places = {one: position for position, one in enumerate(some)}
    assert lookup.positions(ids, wanted, ascending=False).tolist() == [places.get(one, -1) for one in wanted.tolist()]
    more = np.append(ids, 3)
    assert lookup.positions(more, np.array([3]), ascending=False).tolist() == [len(some)]
