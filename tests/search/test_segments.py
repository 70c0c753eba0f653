"""However often an index changes, a search looks at few segments and at no more than twice the codes that there are."""

import numpy as np
import pytest

from hypertorus.search import Index, _segment, _state, _tidy
from hypertorus.search._segment import Segment

DIM = 4


@pytest.fixture
def moved(monkeypatch):
    """How many codes each merge copied."""
    moved = []

    def count(segments, capacity):
        moved.append(sum(segment.live for segment in segments))
        return _segment.merged(segments, capacity)

    monkeypatch.setattr(_tidy, "merged", count)
    return moved


def check_cost(index):
    segments = index._state.segments
    assert sum(segment.count for segment in segments) <= 2 * len(index)
    assert len(segments) <= 8 + 2 * (len(index) // 1024).bit_length()
    assert len(segments) <= 2 + 2 * len(index) // 1024


@pytest.mark.parametrize("removed", ["newest", "oldest", "any"])
@pytest.mark.parametrize("start", [0, 5000])
def test_rounds_of_adding_and_removing(moved, oracle, start, removed):
    rng = np.random.default_rng(0)
    index, model = Index(DIM, metric="l1"), {}

    def add(n):
        codes = rng.integers(0, 256, (n, DIM), np.uint8)
        model.update(zip(index.add(codes).tolist(), codes, strict=True))

    if start:
        add(start)
    for _ in range(1500):
        add(3)
        ids = list(model)
        gone = {"newest": ids[-2:], "oldest": ids[:2], "any": rng.choice(ids, 2, replace=False).tolist()}[removed]
        index.remove(gone)
        for one in gone:
            del model[one]
    check_cost(index)
    assert sum(moved) < 20 * 1500 * 5 + start
    assert index.ids.tolist() == list(model)
    queries = rng.integers(0, 256, (3, DIM), np.uint8)
    want = oracle.search(list(model), np.array(list(model.values())), queries, 10, "l1")
    np.testing.assert_array_equal(index.search(queries).ids, want[0])


def test_a_few_left_of_many_parts_become_one():
    index = Index(DIM)
    for _ in range(6):
        for _ in range(8):
            index.add(np.zeros((1500, DIM), np.uint8))
        index.remove(index.ids[20:])
        check_cost(index)
    assert len(index._state.segments) == 1
    assert len(index) == 20


def test_a_big_part_stays_where_it_is(tmp_path, moved):
    index = Index(DIM)
    index.add(np.zeros((20_000, DIM), np.uint8), labels=["a"] * 20_000, names=["b"] * 20_000)
    index.save(tmp_path / "index")
    opened = Index.open(tmp_path / "index")
    mapped = opened._state.segments[0].blocks
    for one in range(500):
        opened.add(np.zeros((3, DIM), np.uint8), labels=["c"] * 3, names=["d"] * 3)
        opened.remove([one, 20_000 + 3 * one])
    assert opened._state.segments[0].blocks is mapped
    assert sum(moved) < 20_000
    check_cost(opened)


def test_a_removal_unpacks_nothing(monkeypatch):
    index = Index(DIM)
    index.add(np.zeros((10_000, DIM), np.uint8))
    monkeypatch.setattr(Segment, "mask", lambda _: pytest.fail("made a mask of all"))
    for one in range(100):
        index.remove([one, one, 5000 + one])
        index.add(np.zeros((1, DIM), np.uint8))
    assert len(index) == 9900


def test_few_ids_make_no_mask_of_all(monkeypatch, oracle):
    rng = np.random.default_rng(0)
    index = Index(DIM, metric="l1")
    codes = rng.integers(0, 4, (20_000, DIM), np.uint8)
    index.add(codes, ids=rng.permutation(20_000))
    ids = index.ids.copy()
    index.remove(ids[:5])
    where = np.concatenate([ids[5:400:7], ids[5:50:7]])
    monkeypatch.setattr(Segment, "narrowed", lambda *_: pytest.fail("made a mask of all"))
    monkeypatch.setattr(Segment, "mask", lambda _: pytest.fail("made a mask of all"))
    queries = codes[:3]
    want = oracle.search(ids[5:400:7], codes[5:400:7], queries, 9, "l1")
    np.testing.assert_array_equal(tuple(index.search(queries, 9, where)), want)
    assert [len(near.ids) for near in index.within(queries, 2**31, where)] == [57] * 3
    with pytest.raises(ValueError, match=f"ids holds {ids[0]}, which is not in the index"):
        index.search(queries, where=ids[:1])


def test_labels_that_are_in_no_use_are_forgotten(tmp_path):
    index = Index(DIM)
    for begin in range(0, 20_000, 500):
        ids = index.add(np.zeros((500, DIM), np.uint8), labels=[f"label {begin + i}" for i in range(500)])
        before = index.search(np.zeros((1, DIM), np.uint8), k=3)
        index.remove(ids[:-1])
        assert before.labels[0].tolist() == [f"label {one}" for one in before.ids[0]]
    assert len(index._state.label_names) <= 2 * len(index) + _state._NAMES_KEPT + 500
    assert index.labels.tolist() == [f"label {one}" for one in index.ids]
    index.save(tmp_path / "index")
    opened = Index.open(tmp_path / "index")
    assert len(opened._state.label_names) == len(index)
    assert opened.labels.tolist() == index.labels.tolist()
    assert b"label 7label" not in (tmp_path / "index").read_bytes()


def test_a_refused_addition_leaves_no_label_behind():
    index = Index(DIM)
    index.add(np.zeros((1, DIM), np.uint8), labels=["a"], names=["b"])
    with pytest.raises(ValueError, match="codes holds 256"):
        index.add(np.full((2, DIM), 256), labels=["lost", "gone"], names=["lost", "gone"])
    assert len(index._state.label_names) == 1
    index.add(np.zeros((1, DIM), np.uint8), labels=["c"], names=["d"])
    assert index.labels.tolist() == ["a", "c"]
    assert index.names_of([0, 1]).tolist() == ["b", "d"]
