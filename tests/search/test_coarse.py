"""A first pass over the coarse part loses nothing that the literal formula finds, and says how good it is if it may."""

import copy
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from hypertorus.search import METRICS, Index, IndexFileError
from hypertorus.search._coarse import CoarseFacts
from hypertorus.search._heaps import Heaps
from hypertorus.search._library import METRICS as NUMBERS
from hypertorus.search._passes import TwoPasses

SHAPES = [(8, 24, 4), (8, 9, 2), (8, 17, 1), (4, 24, 2), (4, 5, 4), (2, 24, 1), (2, 7, 2), (1, 11, 1)]


@pytest.fixture
def always(monkeypatch):
    """Exact searches go through the coarse part whether it pays or not."""
    monkeypatch.setattr(CoarseFacts, "pays", lambda *_: True)


def rows(rng, n, dim, bits, kind):
    """Anything; clusters; or codes at the edges of arcs, where the bound is tight."""
    codes = rng.integers(0, 2**bits, (n, dim))
    if kind == "clusters":
        codes = codes[rng.integers(0, 9, n)] + rng.integers(0, max(2, 2**bits // 12), (n, dim))
    if kind == "edges":
        codes = rng.integers(0, 4, (n, dim)) * 2**bits // 4 - rng.integers(0, 2, (n, dim))
    return codes % 2**bits


def coarse_index(codes, bits, metric, coordinates, coarse_bits):
    index = Index(codes.shape[1], bits, metric)
    index.add(codes)
    index.coarsen(coordinates, coarse_bits)
    return index


@pytest.mark.usefixtures("isa", "always")
@pytest.mark.parametrize("metric", METRICS)
def test_an_exact_search_finds_what_the_formula_finds(metric, oracle):
    for number, (bits, coordinates, coarse_bits) in enumerate(SHAPES):
        rng = np.random.default_rng(number)
        kind = ("anything", "clusters", "edges")[(number + NUMBERS[metric]) % 3]
        codes, queries = np.split(rows(rng, 905, 24, bits, kind), [900])
        index = coarse_index(codes, bits, metric, coordinates, coarse_bits)
        ids, distances = oracle.search(np.arange(900), codes, queries, 1000, metric, bits=bits)
        for k in (1, 10, 1000):
            np.testing.assert_array_equal(tuple(index.search(queries, k)), (ids[:, :k], distances[:, :k]))


@pytest.mark.parametrize("metric", METRICS)
def test_no_code_is_nearer_than_its_bound(metric, oracle):
    """Climb from random pairs to where the distance is least for what the first pass sees: it is never passed over."""
    rng = np.random.default_rng(1)
    for bits, coordinates, coarse_bits in SHAPES:
        period, width = 2**bits, 2 ** (bits - coarse_bits)
        query, codes = rng.integers(0, period, (1, 24)), rng.integers(0, period, (400, 24))
        for _ in range(20):  # within the same arcs, which the first pass cannot tell apart
            tried = codes.copy()
            tried[:, :coordinates] = codes[:, :coordinates] // width * width + rng.integers(
                0, width, (400, coordinates)
            )
            tried[:, coordinates:] = np.where(
                rng.random((400, 24 - coordinates)) < 0.5, query[:, coordinates:], codes[:, coordinates:]
            )
            nearer = oracle.distances(query, tried, metric, bits)[0] < oracle.distances(query, codes, metric, bits)[0]
            codes[nearer] = tried[nearer]
        index = coarse_index(codes, bits, metric, coordinates, coarse_bits)
        distances = oracle.distances(query, codes, metric, bits)[0]
        packed = index._packed(query)
        for place in np.argsort(distances)[::40]:
            # A heap that is full at the very distance of this code, under a higher id, must still take the code.
            heaps = Heaps(np.full((1, 1), distances[place], np.uint32), np.full((1, 1), 10**6), np.ones(1, np.int64))
            TwoPasses(index._state.segments, NUMBERS[metric]).offer(packed, heaps)
            assert heaps.distances[0, 0] == distances.min()
            assert heaps.ids[0, 0] == distances.argmin()


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("metric", METRICS)
def test_changes_filters_files_and_copies_keep_it_right(metric, tmp_path, oracle):
    rng = np.random.default_rng(2)
    codes, queries = np.split(rows(rng, 6020, 12, 8, "anything"), [6000])
    index = coarse_index(codes[:3000], 8, metric, 8, 4)
    index.save(tmp_path / "a.index")
    with Index.editing(tmp_path / "a.index") as index:
        index.add(codes[3000:])
        index.remove(np.arange(0, 6000, 7))
    opened = Index.open(tmp_path / "a.index")
    assert opened.coarse == index.coarse
    kept = np.flatnonzero(np.arange(6000) % 7)
    arranged = copy.copy(opened)
    arranged.arrange()
    for each in (index, opened, arranged, copy.copy(index), pickle.loads(pickle.dumps(index))):
        np.testing.assert_array_equal(
            tuple(each.search(queries, 9)), oracle.search(kept, codes[kept], queries, 9, metric)
        )
        mask = codes[kept, 0] < 100
        chosen = kept[mask]
        expected = oracle.search(chosen, codes[chosen], queries, 9, metric)
        np.testing.assert_array_equal(tuple(each.search(queries, 9, where=mask)), expected)
        assert {len(found.ids) for found in each.within(queries, 0)} == {0}
    opened.remove(kept)
    opened.add(codes)
    assert opened.coarse is not None
    assert opened.search(codes[5:6], 1).distances[0, 0] == 0


def test_a_search_for_a_recall_says_how_good_it_is():
    rng = np.random.default_rng(3)
    codes, queries = np.split(rows(rng, 9200, 16, 8, "anything"), [9000])
    index = coarse_index(codes, 8, "l1", None, 2)
    exact = index.search(queries, 10)
    assert index.coarse.recalls[0] < 0.9
    for recall in (0.5, 0.9, 0.99):
        found = index.search(queries, 10, recall=recall)
        assert found.recall >= recall
        assert (found.distances <= exact.distances[:, -1:]).mean() > recall - 0.05
        right = (found.ids == exact.ids).all(axis=1)
        assert right[found.proved].all()
    everything = index.search(queries, 10, recall=1)
    np.testing.assert_array_equal(everything.ids, exact.ids)
    assert (everything.recall, everything.proved.all()) == (1.0, True)
    with pytest.raises(ValueError, match="recall is 2"):
        index.search(queries, recall=2)


def test_results_of_a_recall_are_proved_where_codes_are_far_apart():
    rng = np.random.default_rng(4)
    codes = rows(rng, 9, 32, 8, "anything").repeat(300, axis=0)
    codes = (codes + rng.integers(0, 12, codes.shape)) % 256
    index = coarse_index(codes, 8, "cosine", None, 4)
    found = index.search(codes[::9], 3, recall=0.99)
    assert found.proved.any()
    np.testing.assert_array_equal(found.ids[found.proved], index.search(codes[::9], 3).ids[found.proved])


def test_memory_and_facts_are_told(tmp_path):
    codes = rows(np.random.default_rng(5), 640, 16, 8, "anything")
    index = Index(16)
    index.add(codes)
    before = index.nbytes
    seen = []
    index.coarsen(8, 2, progress=lambda done, total: seen.append((done, total)))
    assert index.nbytes == before + 640 * 2
    assert seen[-1] == (640, 640)
    assert "with a coarse part of 8 x 2 bits" in repr(index)
    assert index.narrowed(4).coarse is None
    index.save(tmp_path / "a.index")
    assert Index.open(tmp_path / "a.index").nbytes == index.nbytes


def test_a_damaged_coarse_part_is_noticed(tmp_path):
    index = Index(4)
    index.add(np.zeros((30, 4), np.uint8))
    index.coarsen(bits=1)
    index.save(tmp_path / "a.index")
    content = bytearray((tmp_path / "a.index").read_bytes())
    content[-1] ^= 1
    (tmp_path / "a.index").write_bytes(content)
    with pytest.raises(IndexFileError, match=r"checksum of its coarse\.codes"):
        Index.open(tmp_path / "a.index")


def test_what_cannot_be_coarsened_is_told():
    index = Index(4, 4)
    with pytest.raises(ValueError, match="no codes to coarsen"):
        index.coarsen(bits=2)
    index.add(np.zeros((3, 4), np.uint8))
    for coordinates, bits, told in (
        (5, 2, "there are 4"),
        (4, 8, "bits is 8"),
        (4, 4, "no smaller"),
        (4, 3, "bits is 3"),
    ):
        with pytest.raises(ValueError, match=told):
            index.coarsen(coordinates, bits)
    with pytest.raises(ValueError, match=r"index\.coarsen\(\)"):
        index.search(np.zeros((1, 4), np.uint8), recall=0.9)


def test_the_golden_file_of_a_coarse_part_is_read():
    golden = Path(__file__).parent / "golden"
    index = Index.open(golden / "index_v2_coarse.safetensors")
    expected = json.loads((golden / "index_v2_coarse.json").read_text())
    assert (index.coarse.coordinates, index.coarse.bits) == (4, 2)
    np.testing.assert_array_equal(index.search(np.array(expected["queries"]), 3).ids, expected["neighbours"])
