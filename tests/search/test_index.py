"""An index behaves as a dict from ids to vectors that is searched by the literal formula."""

import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hypertorus import TorusC, TorusN
from hypertorus.codes import BITS, quantise
from hypertorus.search import METRICS, Index
from hypertorus.search._segment import Segment


class IndexMachine(RuleBasedStateMachine):
    """Any sequence of additions and removals, held against a dict after each step."""

    oracle = None

    @initialize(
        dim=st.integers(1, 20), bits=st.sampled_from(BITS), metric=st.sampled_from(list(METRICS)), seed=st.integers(0)
    )
    def begin(self, dim, bits, metric, seed):
        self.rng = np.random.default_rng(seed)
        self.index = Index(dim, bits, metric)
        self.model = {}
        self.next_id = 0

    def codes(self, n):
        return self.rng.integers(0, min(3, 2**self.index.bits), (n, self.index.dim))

    @rule(n=st.sampled_from([1, 2, 9, 700, 1500]))
    def add(self, n):
        codes = self.codes(n)
        ids = self.index.add(codes)
        np.testing.assert_array_equal(ids, np.arange(self.next_id, self.next_id + n))
        self.model |= dict(zip(ids.tolist(), codes, strict=True))
        self.next_id += n

    @rule(n=st.sampled_from([1, 5, 1200]))
    def add_under_ids(self, n):
        free = np.setdiff1d(np.arange(2 * self.next_id + 2 * n), list(self.model))
        ids = self.rng.choice(free, n, replace=False)
        codes = self.codes(n)
        np.testing.assert_array_equal(self.index.add(codes, ids), ids)
        self.model |= dict(zip(ids.tolist(), codes, strict=True))
        self.next_id = max(self.next_id, int(ids.max()) + 1)

    @precondition(lambda self: self.model)
    @rule()
    def arrange(self):
        self.index.arrange()

    @precondition(lambda self: self.model)
    @rule(share=st.sampled_from([0, 0.1, 0.6, 1]))
    def remove(self, share):
        gone = self.rng.choice(list(self.model), max(1, int(share * len(self.model))), replace=False)
        self.index.remove(gone)
        for one in gone.tolist():
            del self.model[one]

    @rule()
    def save_and_open(self):
        with TemporaryDirectory() as folder:
            self.index.save(Path(folder) / "index")
            self.index = Index.open(Path(folder) / "index")

    @precondition(lambda self: self.model)
    @rule(share=st.sampled_from([0, 0.01, 0.5]), as_mask=st.booleans())
    def search_among(self, share, as_mask):
        among = self.rng.choice(list(self.model), int(share * len(self.model)), replace=False)
        where = np.isin(self.index.ids, among) if as_mask else among
        vectors = np.array([self.model[one] for one in among.tolist()]).reshape(len(among), self.index.dim)
        self.check(among, vectors, where)

    @invariant()
    def is_the_dict(self):
        ids = list(self.model)
        assert self.index.ids.tolist() == ids
        assert len(self.index) == len(ids)
        vectors = np.array(list(self.model.values())).reshape(len(ids), self.index.dim)
        np.testing.assert_array_equal(self.index.vectors(ids), vectors)
        assert self.next_id not in self.index
        assert all(one in self.index for one in ids[:3])
        self.check(ids, vectors, None)

    def check(self, ids, vectors, where):
        queries, k = self.codes(2), 7
        want = self.oracle.search(ids, vectors, queries, k, self.index.metric, bits=self.index.bits)
        found = self.index.search(queries, k, where)
        np.testing.assert_array_equal(found.ids, want[0])
        np.testing.assert_array_equal(found.distances, want[1])
        distances = self.oracle.distances(queries, vectors, self.index.metric, self.index.bits)
        radius = int(np.median(distances)) if distances.size else 5
        for row, near in zip(distances, self.index.within(queries, radius, where), strict=True):
            inside = sorted(
                (d, one) for d, one in zip(row.tolist(), np.asarray(ids).tolist(), strict=True) if d <= radius
            )
            assert list(zip(near.distances.tolist(), near.ids.tolist(), strict=True)) == inside


def test_any_sequence_of_changes(oracle):
    IndexMachine.oracle = oracle
    machine = IndexMachine.TestCase
    machine.settings = settings(deadline=None, max_examples=60, stateful_step_count=10)
    machine().runTest()


def test_raw_embeddings_are_added_in_one_call():
    raw = np.random.default_rng(0).normal(size=(100, 16)).astype(np.float32)
    for space in (TorusN(16), TorusC(16)):
        index = Index(space.flat_dim)
        index.add(space.turns(torch.from_numpy(raw)))
        np.testing.assert_array_equal(index.vectors(index.ids), quantise(space.turns(torch.from_numpy(raw))))
        assert index.search(space.turns(raw[:5]), 1).ids[:, 0].tolist() == [0, 1, 2, 3, 4]


def test_pieces_make_no_difference(monkeypatch):
    codes = np.random.default_rng(0).integers(0, 256, (500, 5), np.uint8)
    told = []
    monkeypatch.setattr("hypertorus.search._rows._NUMBERS_AT_ONCE", 5 * 64)
    index = Index(5)
    index.add(codes, progress=lambda done, total: told.append((done, total)))
    assert told == [(min(end, 500), 500) for end in range(64, 564, 64)]
    np.testing.assert_array_equal(index.vectors(index.ids), codes)


def test_search_tells_how_far_it_is():
    codes = np.random.default_rng(0).integers(0, 256, (40_000, 64), np.uint8)
    index = Index(64)
    index.add(codes)
    for threads, nq in ((1, 8), (2, 8), (2, 200)):
        told = []
        index.search(codes[:nq], threads=threads, progress=lambda *now, told=told: told.append(now))
        assert told[-1] == (40_000 * nq, 40_000 * nq)
        assert told == sorted(told)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_an_error_in_progress_ends_the_search(threads):
    class EnoughError(Exception):
        pass

    def enough(*_):
        raise EnoughError

    index = Index(64)
    index.add(np.zeros((100_000, 64), np.uint8))
    with pytest.raises(EnoughError):
        index.search(np.zeros((100, 64), np.uint8), threads=threads, progress=enough)


def test_labels_are_kept_as_they_were_given():
    codes = np.zeros((3, 2), np.uint8)
    for first, second in (([5, -7, 5], [2**62, 0, 1]), (["cat", "dog", "cat"], ["eel", "dog", "ape"])):
        index = Index(2)
        assert index.labels is None
        index.add(codes, labels=first)
        index.add(codes, labels=np.array(second))
        assert index.labels.tolist() == first + second
        index.remove([1, 3])
        assert index.labels.tolist() == [first[0], first[2], second[1], second[2]]
        assert index.labels_of([5, 0]).tolist() == [second[2], first[0]]
    index.remove(index.ids)
    index.add(codes, labels=torch.tensor([3, 4, 5]))
    assert index.labels.tolist() == [3, 4, 5]


def test_what_it_is_can_be_read():
    index = Index(dim=64, bits=4, metric="l1")
    assert repr(index) == "Index(dim=64, bits=4, metric='l1') of 0 codes"
    index.add(np.zeros((1234, 64), np.uint8), labels=["x"] * 1234)
    assert repr(index) == "Index(dim=64, bits=4, metric='l1') of 1,234 codes with labels"
    assert index.nbytes == 1240 * 32 + 1234 * 16


def test_ids_go_on_from_the_largest_there_ever_was():
    index = Index(1)
    zero = np.zeros((1, 1), np.uint8)
    index.add(zero, [2**40])
    index.remove([2**40])
    assert index.add(zero).tolist() == [2**40 + 1]
    index.add(zero, [2**63 - 1])
    with pytest.raises(ValueError, match=r"ids would continue from 9223372036854775808, beyond 2\^63 - 1"):
        index.add(zero)
    assert 2**63 - 1 in index
    assert 2**63 not in index
    assert "1" not in index


def test_ids_are_not_to_be_written_to():
    index = Index(1)
    index.add(np.zeros((3, 1), np.uint8))
    with pytest.raises(ValueError, match="read-only"):
        index.ids[0] = 7
    with pytest.raises(ValueError, match="read-only"):
        index.ids[:2][0] = 7


def test_memory_is_given_back_when_most_is_removed():
    index = Index(64)
    index.add(np.zeros((100_000, 64), np.uint8))
    full = index.nbytes
    index.remove(np.arange(0, 100_000, 2))
    assert index.nbytes == full
    index.remove([1])
    assert index.nbytes < 0.51 * full


def test_ids_in_any_order_added_one_by_one_are_found():
    ids = np.random.default_rng(0).permutation(3000)
    index = Index(1)
    for one in ids.tolist():
        index.add(np.array([[one % 256]]), [one])
    np.testing.assert_array_equal(index.vectors(np.arange(3000))[:, 0], np.arange(3000) % 256)
    with pytest.raises(ValueError, match="ids holds 1500, which is in the index already; remove it first"):
        index.add(np.zeros((1, 1), np.uint8), [1500])
    index.remove(1500)
    index.add(np.array([[77]]), [1500])
    assert index.vectors([1500]).tolist() == [[77]]


CODES = np.arange(6, dtype=np.uint8).reshape(3, 2)


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"codes": CODES[:, :1]}, r"codes has shape \(3, 1\); pass a matrix \[vectors, 2\]"),
        ({"codes": CODES[:0]}, "which is empty; pass at least one row"),
        ({"codes": CODES + np.uint16(254)}, "codes holds 256 in row 1"),
        ({"codes": CODES / 4}, r"codes holds 1.25 in row 2; turns are in \[0, 1\)"),
        ({"ids": [7, 8]}, "ids has 2 ids for 3 codes; pass one for each"),
        ({"ids": [7, 8, 7]}, "ids holds 7 twice; every id must be its own"),
        ({"ids": [7, 1, 8]}, "ids holds 1, which is in the index already; remove it first"),
        ({"ids": [7, -1, 8]}, r"ids holds -1; an id is 0 to 2\^63 - 1"),
        ({"ids": np.array([7, 2**63, 8], np.uint64)}, r"ids holds 9223372036854775808; an id is 0 to 2\^63 - 1"),
        ({"labels": ["a", "b"]}, r"labels has shape \(2,\) for 3 codes; pass one for each"),
        ({"labels": None}, "labels are missing, but the codes in the index have some"),
        ({"labels": [1, 2, 3]}, "labels are numbers, but the index has strings; pass strings"),
        ({"labels": np.array([1, 2, 2**63], np.uint64)}, "labels holds 9223372036854775808; the largest"),
    ],
)
def test_a_refused_addition_changes_nothing(arguments, error):
    index = Index(2)
    index.add(CODES, labels=["a", "b", "c"])
    with pytest.raises(ValueError, match=error):
        index.add(**{"codes": CODES, "labels": ["d", "e", "f"], **arguments})
    assert index.ids.tolist() == [0, 1, 2]
    assert index.labels.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(index.vectors([2, 0]), CODES[[2, 0]])
    assert index.add(CODES, labels=["d", "e", "f"]).tolist() == [3, 4, 5]


@pytest.mark.parametrize("wrong", [[1.5, 2.0, 3.0], [[1, 2, 3]], ["a", "b", "c"], [True, False, True]])
def test_ids_that_are_no_whole_numbers_are_refused(wrong):
    with pytest.raises(TypeError, match=r"ids is an array of .*; pass whole numbers \[n\]"):
        Index(2).add(CODES, ids=wrong)


def test_labels_that_are_neither_numbers_nor_strings_are_refused():
    with pytest.raises(TypeError, match="labels holds float64; pass whole numbers or strings"):
        Index(2).add(CODES, labels=[0.5, 1, 2])
    index = Index(2)
    index.add(CODES)
    with pytest.raises(ValueError, match="labels were given, but the codes in the index have none"):
        index.add(CODES, labels=[1, 2, 3])
    with pytest.raises(ValueError, match="this index has no labels"):
        index.labels_of([0])
    numbered = Index(2)
    numbered.add(CODES, labels=[1, 2, 3])
    with pytest.raises(ValueError, match="labels are strings, but the index has numbers; pass numbers"):
        numbered.add(CODES, labels=["a", "b", "c"])


def test_what_cannot_be_asked_is_refused():
    index = Index(2)
    index.add(CODES)
    with pytest.raises(ValueError, match=r"ids holds 9, which is not in the index; index.ids lists those that are"):
        index.remove([0, 9])
    assert len(index) == 3
    with pytest.raises(ValueError, match="ids holds 9, which is not in the index"):
        index.vectors([9])
    with pytest.raises(ValueError, match="ids holds 9, which is not in the index"):
        index.search(CODES, where=[0, 9])
    with pytest.raises(ValueError, match=r"where is a mask of shape \(2,\); the index has 3 ids"):
        index.search(CODES, where=np.array([True, False]))
    with pytest.raises(ValueError, match="k is -1"):
        index.search(CODES, k=-1)
    with pytest.raises(ValueError, match=r"queries has shape \(3, 1\); pass a matrix \[vectors, 2\]"):
        index.search(CODES[:, :1])
    for radius in (-1, 0.5, "1"):
        with pytest.raises(ValueError, match="distances are whole numbers, so pass one of at least 0"):
            index.within(CODES, radius)
    assert [len(near.ids) for near in index.within(CODES, 2**40)] == [3, 3, 3]


@pytest.mark.parametrize("dim", [0, -1, 65_536, 2.0, "8", True])
def test_wrong_dims_are_refused(dim):
    with pytest.raises(ValueError, match="it must be a whole number from 1 to 65535"):
        Index(dim)


def test_an_empty_index_finds_nothing():
    index = Index(2)
    found = index.search(CODES, k=2)
    assert found.ids.tolist() == [[-1, -1]] * 3
    assert found.distances.tolist() == [[2**32 - 1] * 2] * 3
    assert [near.ids.tolist() for near in index.within(CODES, 10)] == [[]] * 3
    assert index.ids.tolist() == []
    assert index.vectors([]).shape == (0, 2)
    index.remove([])


def test_a_segment_is_filled_before_another_begins():
    index = Index(1)
    for _ in range(3000):
        index.add(np.zeros((1, 1), np.uint8))
    segments = index._state.segments
    assert all(isinstance(segment, Segment) and segment.room == 0 for segment in segments[:-1])
    assert len(segments) == 3


def test_more_threads_take_no_more_memory_for_large_results(monkeypatch):
    monkeypatch.setattr("hypertorus.search._scan._HEAPS", 2**20)
    index = Index(8, metric="l1")
    codes = np.random.default_rng(0).integers(0, 256, (60_000, 8), np.uint8)
    index.add(codes)
    tracemalloc.start()
    found = index.search(codes[:32], k=20_000, threads=8)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.ids.shape == (32, 20_000)
    assert peak < 1.5 * (found.ids.nbytes + found.distances.nbytes)
