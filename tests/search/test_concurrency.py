"""Many threads search while one changes the index: every answer is right for a state that existed meanwhile.

HYPERTORUS_STRESS_SECONDS=300 pytest tests/search/test_concurrency.py
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from hypertorus.search import METRICS, Index

SECONDS = float(os.environ.get("HYPERTORUS_STRESS_SECONDS", "2"))
DIM = 16
KEPT = 500


class History:
    """Every state the index has had lately, each noted before it comes true."""

    def __init__(self, ids, codes):
        self.states = {0: (ids, codes)}
        self.certain = 0

    def next(self, ids, codes):
        self.states[self.certain + 1] = (ids, codes)
        self.states.pop(self.certain - KEPT, None)

    def since(self, version):
        return [self.states[v] for v in sorted(self.states) if v >= version]


def change(index, history, rng, stop):
    """The writer: additions under new and under old ids, and removals, around 15,000 codes."""
    changes = 0
    gone = np.empty(0, np.int64)
    while not stop.is_set():
        ids, codes = history.states[history.certain]
        if len(ids) < rng.integers(10_000, 20_000):
            n = int(rng.integers(1, 1500))
            fresh = np.arange(index._state.next_id, index._state.next_id + n)
            again = rng.choice(gone, min(len(gone), n // 2), replace=False)
            fresh[: len(again)] = again
            gone = np.setdiff1d(gone, again)
            new = rng.integers(0, 4, (n, DIM), np.uint8)
            history.next(np.concatenate([ids, fresh]), np.concatenate([codes, new]))
            index.add(new, fresh)
        else:
            leave = rng.random(len(ids)) < rng.uniform(0, 0.3)
            gone = np.concatenate([gone, ids[leave]])
            history.next(ids[~leave], codes[~leave])
            index.remove(ids[leave])
        history.certain += 1
        changes += 1
    return changes


def right(oracle, index, states, queries, found):
    for ids, codes in states:
        want = oracle.search(ids, codes, queries, found.ids.shape[1], index.metric)
        if np.array_equal(found.ids, want[0]) and np.array_equal(found.distances, want[1]):
            return True
    return False


def read(oracle, index, history, rng, *rest):
    """A reader: searches, and looks at the whole index by saving it."""
    path, stop = rest
    checked = 0
    while not stop.is_set():
        begin = history.certain
        queries = rng.integers(0, 4, (int(rng.choice([2, 40])), DIM), np.uint8)
        found = index.search(queries, 10, threads=int(rng.integers(1, 4)))
        states = history.since(begin)
        some = slice(0, 2)
        assert right(oracle, index, states, queries[some], type(found)(found.ids[some], found.distances[some]))
        if checked % 10 == 0:
            begin = history.certain
            index.save(path)
            opened = Index.open(path)
            contents = opened.ids, opened.vectors(opened.ids)
            assert any(all(map(np.array_equal, contents, state)) for state in history.since(begin))
        checked += 1
    return checked


@pytest.mark.parametrize("metric", METRICS)
def test_readers_see_only_states_that_existed(oracle, tmp_path, metric):
    rng = np.random.default_rng(0)
    ids, codes = np.arange(12_000), rng.integers(0, 4, (12_000, DIM), np.uint8)
    start = Index(DIM, metric=metric)
    start.add(codes)
    start.save(tmp_path / "start")
    index, history, stop = Index.open(tmp_path / "start"), History(ids, codes), Event()

    def until_stopped(work, *arguments):
        try:
            return work(*arguments, stop)
        finally:
            stop.set()  # one that fails ends all

    with ThreadPoolExecutor(4) as pool:
        writer = pool.submit(until_stopped, change, index, history, rng)
        readers = [
            pool.submit(until_stopped, read, oracle, index, history, np.random.default_rng(seed), tmp_path / str(seed))
            for seed in (1, 2, 3)
        ]
        stop.wait(SECONDS)
        stop.set()
    assert all(reader.result() > 3 for reader in readers)
    assert writer.result() > 10
    want = history.states[history.certain]
    np.testing.assert_array_equal(index.ids, want[0])
    np.testing.assert_array_equal(index.vectors(index.ids), want[1])


def test_a_second_writer_waits():
    index = Index(4)

    def add_often(seed):
        return [index.add(np.full((3, 4), seed, np.uint8)).tolist() for _ in range(200)]

    with ThreadPoolExecutor(4) as pool:
        added = sorted(ids for result in pool.map(add_often, range(4)) for ids in result)
    assert [one for ids in added for one in ids] == list(range(2400))
    assert len(index) == 2400
    np.testing.assert_array_equal(np.bincount(index.vectors(index.ids)[:, 0]), [600] * 4)


def test_a_search_goes_on_with_what_it_began_with():
    index = Index(64, metric="l1")
    index.add(np.zeros((50_000, 64), np.uint8))
    removed = []

    def remove_all(*_):
        if not removed:
            removed.append(len(index))
            index.remove(index.ids)
            index.add(np.ones((10, 64), np.uint8))

    began = time.monotonic()
    found = index.search(np.zeros((2000, 64), np.uint8), k=3, threads=2, progress=remove_all)
    assert time.monotonic() > began
    assert found.ids.tolist() == [[0, 1, 2]] * 2000
    assert removed == [50_000]
    assert len(index) == 10
