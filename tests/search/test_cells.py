"""An index in cells gives what the literal formula gives, and looks at few of its codes to find it."""

import copy
import math
import pickle

import numpy as np
import pytest

from hypertorus.codes import BITS
from hypertorus.search import METRICS, Index


def clustered(rng, n, dim, bits, clusters=12):
    """Codes near some centres, so that there is something to pass over, with many ties at few bits."""
    centres = rng.integers(0, 2**bits, (clusters, dim))
    return (centres[rng.integers(0, clusters, n)] + rng.integers(0, max(2, 2**bits // 12), (n, dim))) % 2**bits


def arranged(codes, bits=8, metric="l1", **options):
    index = Index(codes.shape[1], bits, metric)
    ids = index.add(codes)
    index.arrange(**options)
    return index, ids


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("bits", BITS)
def test_finds_what_the_formula_finds(metric, bits, oracle):
    rng = np.random.default_rng(bits)
    codes, queries = np.split(clustered(rng, 1530, 24, bits), [1500])
    index, ids = arranged(codes, bits, metric)
    assert index.cells > 30
    for k in (1, 10, 1600):
        for nq in (1, 30):
            found = index.search(queries[:nq], k)
            expected = oracle.search(ids, codes, queries[:nq], k, metric, bits=bits)
            np.testing.assert_array_equal(found.ids, expected[0])
            np.testing.assert_array_equal(found.distances, expected[1])


@pytest.mark.parametrize("metric", METRICS)
def test_filters_and_radii_work_in_cells(metric, oracle):
    rng = np.random.default_rng(0)
    codes, queries = np.split(clustered(rng, 2008, 16, 8), [2000])
    index, ids = arranged(codes, metric=metric)
    mask = rng.random(2000) < 0.3
    for where in (mask, ids[mask], ids[:5]):
        chosen = where if where.dtype == bool else np.isin(ids, where)
        found = index.search(queries, 7, where=where)
        np.testing.assert_array_equal(found.ids, oracle.search(ids[chosen], codes[chosen], queries, 7, metric)[0])
    distances = oracle.distances(queries, codes, metric)
    radius = int(np.quantile(distances, 0.01))
    for one, row in zip(index.within(queries, radius), distances, strict=True):
        order = np.lexsort((ids, row))
        np.testing.assert_array_equal(one.ids, ids[order][row[order] <= radius])


def test_ids_masks_and_labels_keep_the_order_of_adding():
    rng = np.random.default_rng(1)
    codes = clustered(rng, 900, 8, 8)
    given = rng.permutation(5000)[:900]
    index = Index(8)
    index.add(codes, given, labels=[f"label {i}" for i in given], names=[f"name {i}" for i in given])
    index.arrange()
    np.testing.assert_array_equal(index.ids, given)
    np.testing.assert_array_equal(index.vectors(given), codes)
    assert index.labels.tolist() == [f"label {i}" for i in given]
    mask = np.zeros(900, bool)
    mask[17] = True
    found = index.search(codes[17:18], 1, where=mask)
    assert (found.ids[0, 0], found.labels[0, 0]) == (given[17], f"label {given[17]}")
    assert found.names[0, 0] == f"name {given[17]}"


def test_trained_codes_are_mostly_passed_over():
    rng = np.random.default_rng(2)
    index, _ = arranged(clustered(rng, 20_000, 32, 8, clusters=100))
    assert index.share < 0.05
    assert f"a query looks at {index.share:.1%} of them" in repr(index)


def test_codes_without_clusters_are_scanned_as_before():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 256, (5000, 32))
    index, _ = arranged(codes)
    assert index.share > 0.9
    plain = Index(32, metric="l1")
    plain.add(codes)
    found, expected = index.search(codes[:20], 5), plain.search(codes[:20], 5)
    np.testing.assert_array_equal(found.ids, expected.ids)


def test_what_is_added_later_waits_and_is_arranged_when_it_has_grown(oracle):
    rng = np.random.default_rng(4)
    codes = clustered(rng, 30_000, 8, 8)
    index, _ = arranged(codes[:10_000])
    cells = index.cells
    for begin in range(10_000, 30_000, 2000):
        index.add(codes[begin : begin + 2000])
    assert index.cells > cells
    found = index.search(codes[:9], 5)
    np.testing.assert_array_equal(found.ids, oracle.search(np.arange(30_000), codes, codes[:9], 5, "l1")[0])


@pytest.mark.parametrize("share", [0.1, 0.8])
def test_removed_codes_are_gone_from_cells_and_from_the_file(share, tmp_path, oracle):
    rng = np.random.default_rng(5)
    codes = clustered(rng, 30_000, 8, 8)
    index, ids = arranged(codes, metric="cosine")
    gone = rng.random(30_000) < share
    index.remove(ids[gone])
    expected = oracle.search(ids[~gone], codes[~gone], codes[:9], 5, "cosine")[0]
    np.testing.assert_array_equal(index.search(codes[:9], 5).ids, expected)
    index.save(tmp_path / "a.index")
    opened = Index.open(tmp_path / "a.index")
    assert opened.cells
    np.testing.assert_array_equal(opened.search(codes[:9], 5).ids, expected)
    np.testing.assert_array_equal(opened.ids, ids[~gone])


def test_cells_are_kept_in_the_file_with_what_waits(tmp_path):
    rng = np.random.default_rng(6)
    codes = clustered(rng, 3000, 8, 4)
    index, _ = arranged(codes[:2500], 4, "l2")
    index.add(codes[2500:])
    index.save(tmp_path / "a.index")
    opened = Index.open(tmp_path / "a.index")
    assert (opened.cells, opened.share, repr(opened)[:60]) == (index.cells, index.share, repr(index)[:60])
    np.testing.assert_array_equal(opened.search(codes[:40], 9).ids, index.search(codes[:40], 9).ids)
    opened.add(codes[:3])
    opened.remove([7, 2600])
    opened.arrange(cells=10)
    assert opened.cells <= 10
    assert len(opened) == 3001


def test_an_approximate_search_says_how_good_it_is():
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 256, (4000, 12))
    index, _ = arranged(codes)
    exact = index.search(codes[:50], 10)
    assert (exact.recall, exact.proved) == (None, None)
    found = index.search(codes[:50], 10, cells=8)
    right = (found.ids == exact.ids).all(axis=1)
    assert right[found.proved].all()
    assert not right.all()
    assert 0.1 < found.recall < 1
    good = index.search(codes[:50], 10, recall=0.9)
    measured = (good.distances <= exact.distances[:, -1:]).mean()
    assert good.recall >= 0.9
    assert measured > 0.8
    everything = index.search(codes[:50], 10, recall=1)
    np.testing.assert_array_equal(everything.ids, exact.ids)


def test_an_approximate_search_needs_cells():
    index = Index(4)
    index.add(np.zeros((3, 4), np.uint8))
    with pytest.raises(ValueError, match=r"index\.arrange\(\)"):
        index.search(np.zeros((1, 4), np.uint8), recall=0.9)


@pytest.mark.parametrize("recall", [0, -1, 1.5, math.nan, "high"])
def test_a_recall_is_a_share(recall):
    index, _ = arranged(np.zeros((30, 4), np.uint8))
    with pytest.raises(ValueError, match="recall is"):
        index.search(np.zeros((1, 4), np.uint8), recall=recall)


def test_arranging_reports_its_progress_and_refuses_nonsense():
    seen = []
    index = Index(4)
    with pytest.raises(ValueError, match="no codes"):
        index.arrange()
    index.add(np.random.default_rng(8).integers(0, 256, (500, 4)))
    with pytest.raises(ValueError, match="cells is 0"):
        index.arrange(cells=0)
    index.arrange(progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (500, 500)


def test_few_and_equal_codes_can_be_arranged():
    for count in (1, 2, 9, 300):
        index, _ = arranged(np.full((count, 5), 7), 4, "cosine")
        found = index.search(np.full((2, 5), 6), 3)
        assert found.ids[0].tolist() == [0, *(i if i < count else -1 for i in (1, 2))]


def chords(bits):
    """The table of the cosine metric at a bit depth, and what it rounds."""
    exact = np.array([2**14 * (1 - math.cos(math.tau * i / 2**bits)) for i in range(2 ** (bits - 1) + 1)])
    return np.round(exact), exact


def test_the_table_of_cosines_is_as_exact_as_the_bounds_say():
    table, exact = chords(8)
    error = np.abs(table - exact)
    assert error.max() <= 0.5
    assert (error[1:] / exact[1:]).max() <= 0.01342
    for bits in (1, 2):
        np.testing.assert_allclose(*chords(bits), rtol=0, atol=1e-9)
    assert 3 * math.sqrt(0.01342 / 2) / (1 + math.sqrt(1 - 0.01342)) <= 0.1233 < math.sqrt(1000) / 256


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("dim", [1, 2, 5, 64])
def test_no_triangle_of_codes_breaks_the_bound(bits, dim):
    """Climb, from triangles large and small, half of them flat, to where the cosine's root is least a metric."""
    rng = np.random.default_rng(dim)
    table, _ = chords(bits)
    period, n = 2**bits, 1000

    def excess(q, x, c):
        def root(a, b):
            difference = (a - b) % period
            return np.sqrt(table[np.minimum(difference, period - difference)].sum(axis=1))

        return root(q, c) - root(x, c) - root(q, x)

    reach = rng.choice([2, 4, 16, period], (n, 1))
    q, x, c = (rng.integers(0, np.minimum(reach, period), (n, dim)) for _ in range(3))
    far = rng.integers(0, reach // 2 + 1, (n, 1))
    flat = np.arange(n) < n // 2
    q[flat], x[flat] = (c + far)[flat], (c + rng.integers(0, far + 1))[flat]
    best = excess(q, x, c)
    for _ in range(30):
        tried = [
            (side + (rng.random((n, dim)) < 1.5 / dim) * rng.integers(-2, 3, (n, dim))) % period for side in (q, x, c)
        ]
        better = excess(*tried) > best
        for side, new in zip((q, x, c), tried, strict=True):
            side[better] = new[better]
        best = excess(q, x, c)
    slack = 0.1233 * math.sqrt(dim) if bits > 2 else 0
    assert best.max() <= slack + 1e-9
    if bits == 8 and dim > 1:
        assert best.max() > 0.1 * slack  # the search is one: rounding does break the plain inequality


def test_arranging_is_committed_and_changes_wait_in_the_journal(tmp_path, oracle):
    rng = np.random.default_rng(9)
    codes = clustered(rng, 6000, 8, 8)
    index = Index(8, metric="l2")
    index.add(codes[:5000])
    index.save(tmp_path / "a.index")
    with Index.editing(tmp_path / "a.index") as index:
        index.arrange()
    cells = Index.open(tmp_path / "a.index").cells
    assert cells
    before = (tmp_path / "a.index").read_bytes()
    with Index.editing(tmp_path / "a.index") as index:
        index.add(codes[5000:])
        index.remove(np.arange(0, 5000, 9))
    assert (tmp_path / "a.index").read_bytes() == before
    opened = Index.open(tmp_path / "a.index")
    assert opened.cells == cells
    kept = np.setdiff1d(np.arange(6000), np.arange(0, 5000, 9))
    found = opened.search(codes[:20], 5)
    np.testing.assert_array_equal(found.ids, oracle.search(kept, codes[kept], codes[:20], 5, "l2")[0])


def test_an_arranged_index_is_copied_and_pickled():
    rng = np.random.default_rng(10)
    codes = clustered(rng, 1000, 8, 8)
    index, _ = arranged(codes)
    for twin in (copy.copy(index), pickle.loads(pickle.dumps(index))):
        twin.add(codes[:5])
        twin.remove([3])
        assert (twin.cells, len(twin), len(index)) == (index.cells, 1004, 1000)
        np.testing.assert_array_equal(index.search(codes[:9], 3).ids[:, 0] >= 0, np.ones(9, bool))
        assert twin.search(codes[3:4], 1).ids != 3
