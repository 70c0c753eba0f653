"""Search by tables against the sum written out: every instruction set, shape, filter, radius and kind of table."""

import numpy as np
import pytest

import hypertorus as ht
from hypertorus.search import Index, _tables

RNG = np.random.default_rng(19)


def nibbles_of(codes, bits):
    """[n, nibbles] of codes [n, dim], by the description of the layout and not by how it is packed."""
    in_one = 4 // bits
    padded = np.pad(codes, ((0, 0), (0, -codes.shape[1] % in_one))).astype(np.int64)
    grouped = padded.reshape(len(codes), -1, in_one)
    return (grouped << (np.arange(in_one) * bits)).sum(axis=2)


def sums(tables, codes, bits):
    """Distances [queries, codes], one literal look-up at a time."""
    nibbles = nibbles_of(codes, bits)
    return np.stack([table[np.arange(nibbles.shape[1]), nibbles].sum(axis=1) for table in tables.astype(np.int64)])


def nearest(distances, ids, k):
    order = [np.lexsort((ids, row))[:k] for row in distances]
    return np.stack([ids[o] for o in order]), np.stack([row[o] for row, o in zip(distances, order, strict=True)])


def example(bits, dim, n, queries, *, ties=False):
    codes = RNG.integers(0, 2**bits, (n, dim), np.uint8)
    tables = RNG.integers(0, 3 if ties else 256, (queries, -(-dim * bits // 4), 16)).astype(np.uint8)
    index = Index(dim, bits=bits)
    return codes, tables, index


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("bits", [4, 2, 1])
@pytest.mark.parametrize("ties", [False, True])
def test_any_shape_is_searched_exactly(bits, ties):
    for _ in range(6):
        dim, n, queries, k = (int(RNG.integers(1, most)) for most in (150, 700, 12, 30))
        codes, tables, index = example(bits, dim, n, queries, ties=ties)
        ids = RNG.permutation(10 * n)[:n].astype(np.int64)
        index.add(codes[: n // 2 + 1], ids[: n // 2 + 1])
        if n // 2 + 1 < n:
            index.add(codes[n // 2 + 1 :], ids[n // 2 + 1 :])
        found = index.search_tables(tables, k, threads=1)
        expected_ids, expected = nearest(sums(tables, codes, bits), ids, k)
        np.testing.assert_array_equal(found.ids[:, : min(k, n)], expected_ids)
        np.testing.assert_array_equal(found.distances[:, : min(k, n)], expected)
        assert (found.ids[:, n:] == -1).all()


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("bits", [4, 2, 1])
def test_threads_filters_removed_codes_and_cells_change_nothing_but_what_counts(bits):
    codes, tables, index = example(bits, 24, 5000, 9, ties=True)
    ids = index.add(codes)
    index.arrange(cells=8)
    index.remove(ids[::7])
    wanted = np.setdiff1d(np.arange(0, 5000, 3), ids[::7])
    for where, among in ((None, np.setdiff1d(ids, ids[::7])), (wanted, wanted), (wanted[:5], wanted[:5])):
        expected_ids, expected = nearest(sums(tables, codes[among], bits), among, 5)
        for threads in (1, 2):
            found = index.search_tables(tables, 5, where, threads)
            np.testing.assert_array_equal(found.ids, expected_ids)
            np.testing.assert_array_equal(found.distances, expected)


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("bits", [4, 2, 1])
def test_within_lists_all_up_to_the_radius(bits):
    codes, tables, index = example(bits, 37, 900, 3)
    index.add(codes, labels=np.arange(900))
    distances = sums(tables, codes, bits)
    radius = int(np.median(distances))
    for row, found in zip(distances, index.within_tables(tables, radius), strict=True):
        inside = np.flatnonzero(row <= radius)
        order = inside[np.lexsort((inside, row[inside]))]
        np.testing.assert_array_equal(found.ids, order)
        np.testing.assert_array_equal(found.distances, row[order])
        np.testing.assert_array_equal(found.labels, order)


@pytest.mark.usefixtures("isa")
def test_queries_that_are_sums_over_bits_may_be_asked_beside_others(monkeypatch):
    """A kernel for sums over bits must leave no trace where one query of a batch is not such a sum."""
    codes, tables, index = example(4, 16, 3000, 9)
    index.add(codes)
    is_set = np.arange(16)[:, None] >> np.arange(4) & 1
    tables[:-1] = 5 + RNG.integers(0, 60, (8, 16, 4)) @ is_set.T
    scratch = _tables._scratch
    monkeypatch.setattr(_tables, "_scratch", lambda *shape: np.full_like(scratch(*shape), 255))
    for asked in (tables[:-1], tables[::-1], tables):
        found = index.search_tables(asked, 10, threads=1)
        expected_ids, expected = nearest(sums(asked, codes, 4), np.arange(3000), 10)
        np.testing.assert_array_equal(found.ids, expected_ids)
        np.testing.assert_array_equal(found.distances, expected)


def test_many_threads_find_what_one_does():
    codes, tables, index = example(1, 256, 300_000, 64)
    index.add(codes)
    one, two = (index.search_tables(tables, 10, threads=threads) for threads in (1, 2))
    np.testing.assert_array_equal(one.ids, two.ids)
    np.testing.assert_array_equal(one.distances, two.distances)


def test_tables_that_do_not_fit_are_refused():
    index = Index(8, bits=2)
    index.add(np.zeros((3, 8), np.uint8))
    with pytest.raises(ValueError, match=r"tables has shape \(1, 8, 16\); pass \[queries, 4, 16\]"):
        index.search_tables(np.zeros((1, 8, 16), np.uint8))
    with pytest.raises(ValueError, match="at least one query"):
        index.search_tables(np.zeros((0, 4, 16), np.uint8))
    with pytest.raises(TypeError, match="tables holds float64; pass uint8"):
        index.search_tables(np.zeros((1, 4, 16)))
    with pytest.raises(TypeError, match="tables is a list"):
        index.search_tables([[1]])
    with pytest.raises(ValueError, match="the index has 8 bits"):
        Index(8).search_tables(np.zeros((1, 16, 16), np.uint8))


def test_codes_that_are_no_angles_are_compared_by_tables_alone(tmp_path):
    rng = np.random.default_rng(0)
    codes, tables = rng.integers(0, 16, (50, 6), np.uint8), rng.integers(0, 256, (3, 6, 16), np.uint8)
    index = ht.Index(6, bits=4, metric="tables")
    index.add(codes)
    index.save(tmp_path / "plain.index")
    index = ht.Index.open(tmp_path / "plain.index")
    assert index.metric == "tables"
    usual = ht.Index(6, bits=4)
    usual.add(codes)
    np.testing.assert_array_equal(index.search_tables(tables, 5).ids, usual.search_tables(tables, 5).ids)
    np.testing.assert_array_equal(index.vectors([3]), codes[3:4])
    for use in (
        lambda: index.search(codes[:2], k=1),
        lambda: index.search(rng.random((2, 6)), k=1),
        lambda: index.within(codes[:2], 10),
        index.arrange,
        index.coarsen,
        lambda: index.narrowed(bits=2),
        lambda: ht.nearest(codes, codes, metric="tables", bits=4),
    ):
        with pytest.raises(ValueError, match="are no angles; search them by the coder that made them"):
            use()
