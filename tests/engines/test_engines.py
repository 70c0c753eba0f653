"""What holds for every engine, by the exact search of `nearest` as the oracle."""

import threading

import numpy as np
import pytest

import hypertorus as ht
from hypertorus.codes import BITS
from hypertorus.engines import ENGINES, installed
from hypertorus.search import METRICS, distances, nearest

ALL = pytest.mark.parametrize("name", ENGINES)


def search_all(engine, queries, k=10):
    """A search with so much effort that an engine of a few hundred codes misses nothing."""
    return engine.search(queries, k, effort=1000 if engine.efforts else None, threads=1)


def assert_exact(found, codes, ids, queries, metric, bits, k=10):
    """Distances are those of exact search, and each id has the distance it is said to have."""
    want = nearest(codes, queries, k, metric, bits)
    np.testing.assert_array_equal(found.distances, want.distances)
    table = distances(queries, codes, metric, bits)
    for row, own_ids in enumerate(found.ids):
        places = [ids.tolist().index(number) for number in own_ids]
        assert len(set(places)) == k
        np.testing.assert_array_equal(table[row, places], found.distances[row])
        pairs = list(zip(found.distances[row].tolist(), own_ids.tolist(), strict=True))
        assert pairs == sorted(pairs)


def test_all_engines_are_installed_here():
    assert installed() == list(ENGINES)


@ALL
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("bits", BITS)
def test_with_enough_effort_every_engine_is_exact(name, metric, bits, make_codes, ids):
    codes, queries = make_codes(bits=bits)
    engine = ht.engine(name).build(codes, ids, bits=bits, metric=metric, threads=1)
    assert (len(engine), engine.dim, engine.bits, engine.metric) == (300, 37, bits, metric)
    assert_exact(search_all(engine, queries), codes, ids, queries, metric, bits)


@ALL
def test_one_query_and_fewer_codes_than_neighbours(name, make_codes):
    codes, queries = make_codes(n=5)
    found = ht.engine(name).build(codes).search(queries[:1], k=8, threads=1)
    want = nearest(codes, queries[:1], k=8)
    np.testing.assert_array_equal(found.ids, want.ids)
    np.testing.assert_array_equal(found.distances, want.distances)
    assert found.ids[0, 5:].tolist() == [-1] * 3


@pytest.mark.parametrize("name", [name for name in ENGINES if ht.engine(name).efforts])
def test_little_effort_finds_less_and_never_lies(name, make_codes, ids):
    engine = ht.engine(name)
    codes, queries = make_codes(dim=8)
    built = engine.build(codes, ids, metric="l1", threads=1)
    found = built.search(queries, 10, effort=engine.efforts[0])
    table = distances(queries, codes, "l1")
    place = {number: row for row, number in enumerate(ids.tolist())}
    for row, (own, far) in enumerate(zip(found.ids.tolist(), found.distances.tolist(), strict=True)):
        assert [table[row, place[number]] for number in own if number >= 0] == far[: sum(n >= 0 for n in own)]
    assert (found.distances >= nearest(codes, queries, 10, "l1").distances).all()


@ALL
@pytest.mark.parametrize("mmap", [True, False])
def test_saved_and_opened_it_finds_the_same(name, mmap, make_codes, ids, tmp_path):
    codes, queries = make_codes(bits=4)
    engine = ht.engine(name).build(codes, ids, bits=4, metric="l2", threads=1)
    engine.save(tmp_path / "engine")
    opened = ht.open_engine(tmp_path / "engine", mmap=mmap)
    assert (type(opened), len(opened), repr(opened)) == (type(engine), 300, repr(engine))
    for found, want in zip(search_all(opened, queries), search_all(engine, queries), strict=True):
        np.testing.assert_array_equal(found, want)


@ALL
def test_codes_come_as_any_array_as_turns_and_as_embeddings(name, make_codes):
    codes, queries = make_codes()
    engine = ht.engine(name)
    want = search_all(engine.build(codes, threads=1), queries)
    record = ht.Embeddings(codes, "codes", "torusC", bits=8)
    for given in (codes.astype(np.int64), np.asfortranarray(codes), (codes + 0.5) / 256, record):
        found = search_all(engine.build(given, threads=1), queries)
        np.testing.assert_array_equal(found.ids, want.ids)
        np.testing.assert_array_equal(found.distances, want.distances)
    asked = ht.Embeddings(queries, "codes", "torusC", bits=8)
    np.testing.assert_array_equal(search_all(engine.build(codes, threads=1), asked).ids, want.ids)


@ALL
def test_threads_may_search_at_once(name, make_codes):
    codes, queries = make_codes()
    engine = ht.engine(name).build(codes, threads=2)
    want, found = search_all(engine, queries), {}

    def work(number):
        found[number] = [search_all(engine, queries).ids for _ in range(3)]

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 4
    for results in found.values():
        for result in results:
            np.testing.assert_array_equal(result, want.ids)


CODES = np.zeros((4, 3), np.uint8)


@ALL
@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"codes": CODES - np.int8(1)}, "codes holds -1 in row 0; a coordinate of 8 bits is 0 to 255"),
        ({"codes": CODES + 4, "bits": 2}, "codes holds 4 in row 0"),
        ({"codes": CODES[0]}, r"codes has shape \(3,\)"),
        ({"codes": CODES[:0]}, "which is empty"),
        ({"codes": CODES > 0}, "codes holds bool"),
        ({"codes": CODES, "bits": 3}, "bits is 3"),
        ({"codes": CODES, "metric": "l3"}, "metric is 'l3'"),
        ({"codes": CODES, "ids": [1, 1, 2, 3]}, "ids holds 1 twice"),
        ({"codes": CODES, "ids": [1, 2]}, "ids has 2 ids for 4 codes"),
        ({"codes": CODES, "ids": [-1, 1, 2, 3]}, "ids holds -1"),
        ({"codes": ht.Embeddings(np.ones((2, 4)), "raw", "sphere")}, "sphere"),
    ],
)
def test_bad_codes_never_reach_the_engine(name, arguments, error):
    with pytest.raises((ValueError, TypeError), match=error):
        ht.engine(name).build(**arguments)


@ALL
def test_bad_searches_are_refused(name):
    engine = ht.engine(name).build(CODES)
    for arguments, error in (
        ({"queries": CODES[:, :2]}, r"queries has shape \(4, 2\)"),
        ({"queries": CODES, "k": 0}, "k is 0"),
        ({"queries": CODES, "threads": 0}, "threads is 0"),
        ({"queries": CODES, "effort": 0}, "effort is 0"),
    ):
        with pytest.raises(ValueError, match=error):
            engine.search(**arguments)


def test_unknown_names_and_packages_that_are_missing(monkeypatch):
    with pytest.raises(ValueError, match="engine is 'annoy'; there are exact, exact-cells, usearch"):
        ht.engine("annoy")
    monkeypatch.setattr("hypertorus.engines.by_name.find_spec", lambda name: None if name == "faiss" else name)
    assert installed() == ["exact", "exact-cells", "usearch"]
