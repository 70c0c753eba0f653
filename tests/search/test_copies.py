"""A copy of an index is an index of its own, and so is one that was pickled or that a forked process has."""

import copy
import os
import pickle
import time
from threading import Event, Thread

import numpy as np
import pytest

from hypertorus.search import Index, IndexFileError

CODES = np.random.default_rng(0).integers(0, 256, (50, 4), np.uint8)


@pytest.fixture(params=["made", "opened"])
def index(request, tmp_path):
    index = Index(4, metric="l1", model="cafe")
    index.add(CODES, labels=[f"l{i % 3}" for i in range(50)], names=[f"n{i}" for i in range(50)])
    index.remove([3, 4])
    if request.param == "opened":
        index.save(tmp_path / "index")
        return Index.open(tmp_path / "index")
    return index


def everything(index):
    facts = index.ids.tolist(), index.vectors(index.ids).tolist(), index.labels.tolist()
    found = index.search(CODES, k=5)
    return *facts, index.names_of(index.ids).tolist(), found.ids.tolist(), found.names.tolist(), index.model


def pickled(index):
    return pickle.loads(pickle.dumps(index))


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, pickled])
def test_changes_to_one_do_not_reach_the_other(index, make):
    twin = make(index)
    assert everything(twin) == everything(index)
    for value, one in enumerate((index, twin, make(twin))):
        other, before = (twin, everything(twin)) if one is index else (index, everything(index))
        one.add(np.full((5, 4), value), labels=[f"only {value}"] * 5, names=[f"only {value}"] * 5)
        one.remove([7, 9])
        assert everything(other) == before
        assert one.vectors(np.arange(50, 55)).tolist() == [[value] * 4] * 5
        assert set(one.labels_of(np.arange(50, 55))) == set(one.names_of(np.arange(50, 55))) == {f"only {value}"}
    assert index.labels_of([51]).tolist() == ["only 0"]


def test_a_copy_shares_memory_until_it_is_changed():
    index = Index(64)
    index.add(np.zeros((10_000, 64), np.uint8))
    twin = copy.copy(index)
    assert np.shares_memory(twin._state.segments[0].blocks, index._state.segments[0].blocks)
    twin.add(np.zeros((1, 64), np.uint8))
    assert np.shares_memory(twin._state.segments[0].blocks, index._state.segments[0].blocks)
    assert not np.shares_memory(twin._state.segments[-1].blocks, index._state.segments[-1].blocks)


def test_copies_of_copies_stay_few_segments():
    index = Index(4)
    for _ in range(1500):
        index = copy.copy(index)
        index.add(CODES[:3])
    assert len(index._state.segments) < 20


def test_a_damaged_pickle_is_noticed(index):
    data = bytearray(pickle.dumps(index))
    data[data.index(b"n49")] ^= 1
    with pytest.raises(IndexFileError, match="the pickled index is damaged"):
        pickle.loads(bytes(data))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # of threads, which is the point here
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_fork_during_an_addition_leaves_the_child_an_index_to_change():
    index, adding, forked = Index(4), Event(), Event()
    index.add(CODES)

    def wait(*_):
        adding.set()
        assert forked.wait(10)

    writer = Thread(target=index.add, args=(CODES,), kwargs={"progress": wait})
    writer.start()
    assert adding.wait(10)
    child = os.fork()
    if child == 0:
        index.add(CODES[:2] + 1)
        good = index.ids.tolist() == list(range(52)) and np.array_equal(index.vectors([50, 51]), CODES[:2] + 1)
        os._exit(0 if good else 1)
    forked.set()
    writer.join()
    for _ in range(1000):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.01)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
        pytest.fail("the child hangs")
    assert status == 0
    assert len(index) == 100
