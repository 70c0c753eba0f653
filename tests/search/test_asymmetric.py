"""Search by turns that are not rounded, against the formula written out in floats and in whole numbers."""

import math

import numpy as np
import pytest
import torch

from hypertorus import Embeddings, nearest
from hypertorus.search import METRICS, Index

RNG = np.random.default_rng(3)
FARTHEST = {4: 127.5, 2: 127.5, 1: 63.5}
"""What half a turn in one coordinate comes to before it is rounded."""


def share_of_half_a_turn(metric, arc):
    """Of an arc in turns, up to 1/2, in floats."""
    return {"l1": 2 * arc, "l2": 4 * arc * arc, "cosine": (1 - np.cos(math.tau * arc)) / 2}[metric]


def float_costs(turns, bits, metric):
    """[queries, dim, 2^bits]: the formula without any rounding."""
    middles = (np.arange(2**bits) + 0.5) / 2**bits
    ahead = (np.asarray(turns, np.float64)[..., None] - middles) % 1
    return FARTHEST[bits] * share_of_half_a_turn(metric, np.minimum(ahead, 1 - ahead))


def whole_costs(turns, bits, metric):
    """The same in whole numbers as documented: 16 bits of a turn, cosines on a line between 129 of them."""
    fine = np.rint(np.asarray(turns, np.float64) * 65536).astype(np.int64)
    ahead = (fine[..., None] - (2 * np.arange(2**bits) + 1) * 2 ** (15 - bits)) % 65536
    arc = np.minimum(ahead, 65536 - ahead)
    chords = np.array([round(2**14 * (1 - math.cos(math.tau * i / 256))) for i in range(129)] + [0])
    between = chords[arc // 256] + ((chords[arc // 256 + 1] - chords[arc // 256]) * (arc % 256) + 128) // 256
    value = {"l1": arc, "l2": arc * arc // 2**15, "cosine": np.where(arc % 256, between, chords[arc // 256])}[metric]
    exact = value * (127 if bits == 1 else 255) / 65536
    return np.ceil(exact - 0.5).astype(np.int64)  # halves down


def sums(costs, codes):
    return np.stack([cost[np.arange(codes.shape[1]), codes].sum(axis=1) for cost in costs])


def first(distances, ids, k):
    order = [np.lexsort((ids, row))[:k] for row in distances]
    return np.stack([ids[o] for o in order]), np.stack([row[o] for row, o in zip(distances, order, strict=True)])


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("bits", [4, 2, 1])
def test_a_byte_is_the_formula_to_within_its_rounding(bits, metric):
    turns = RNG.random((40, 50))
    assert np.abs(whole_costs(turns, bits, metric) - float_costs(turns, bits, metric)).max() < 0.52


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("bits", [4, 2, 1])
def test_search_and_within_are_exact_in_their_own_distance(bits, metric):
    for _ in range(4):
        dim, n, queries, k = (int(RNG.integers(1, most)) for most in (100, 500, 9, 20))
        codes = RNG.integers(0, 2**bits, (n, dim), np.uint8)
        turns = RNG.choice([RNG.random((queries, dim)), RNG.integers(0, 17, (queries, dim)) / 16])
        ids = RNG.permutation(3 * n)[:n].astype(np.int64)
        index = Index(dim, bits, metric)
        index.add(codes, ids)
        distances = sums(whole_costs(turns, bits, metric), codes)
        found = index.search(turns, k)
        expected_ids, expected = first(distances, ids, k)
        np.testing.assert_array_equal(found.ids[:, : min(n, k)], expected_ids)
        np.testing.assert_array_equal(found.distances[:, : min(n, k)], expected)
        assert found.asymmetric
        radius = int(np.median(distances))
        for row, listed in zip(distances, index.within(turns, radius), strict=True):
            assert sorted(listed.ids) == sorted(ids[row <= radius])
            assert listed.asymmetric


@pytest.mark.parametrize("bits", [4, 2, 1])
def test_cells_filters_pieces_and_kinds_of_arrays_change_nothing(bits, monkeypatch):
    codes, turns = RNG.integers(0, 2**bits, (3000, 20), np.uint8), RNG.random((30, 20), np.float32)
    index = Index(20, bits)
    ids = index.add(codes, labels=codes[:, 0].astype(np.int64))
    index.remove(ids[::5])
    left = np.setdiff1d(ids, ids[::5])
    expected = first(sums(whole_costs(turns, bits, "cosine"), codes[left]), left, 4)
    reported = []
    monkeypatch.setattr("hypertorus.search._asymmetric._BYTES_AT_ONCE", 2**11)
    for arrange in (False, True):
        if arrange:
            index.arrange(cells=16)
        for queries in (turns, turns.astype(np.float64), torch.from_numpy(turns)):
            found = index.search(queries, 4, progress=lambda done, total: reported.append(done / total))
            np.testing.assert_array_equal(tuple(found), expected)
            np.testing.assert_array_equal(found.labels, codes[found.ids, 0])
    assert reported[-1] == 1
    among = left[10:300:3]
    expected = first(sums(whole_costs(turns, bits, "cosine"), codes[among]), among, 4)
    np.testing.assert_array_equal(tuple(index.search(turns, 4, where=among)), expected)
    rounded = index.search(turns, 4, cells=3)  # an approximate search compares codes with codes
    assert not rounded.asymmetric
    np.testing.assert_array_equal(tuple(rounded), tuple(index.search((turns * 2**bits).astype(np.uint8), 4, cells=3)))


def test_at_8_bits_turns_are_rounded():
    codes, turns = RNG.integers(0, 256, (100, 6), np.uint8), RNG.random((5, 6))
    index = Index(6)
    index.add(codes)
    found = index.search(turns)
    assert not found.asymmetric
    np.testing.assert_array_equal(tuple(found), tuple(index.search((turns * 256).astype(np.uint8))))


def test_a_whole_turn_is_none_and_half_precision_counts():
    index = Index(2, bits=2)
    index.add(np.array([[0, 0], [1, 2], [3, 3]], np.uint8))
    zero = index.search(np.zeros((1, 2)), 3)
    np.testing.assert_array_equal(tuple(zero), tuple(index.search(np.ones((1, 2)), 3)))
    half = np.array([[0.999, 0.5]], np.float16)
    np.testing.assert_array_equal(tuple(index.search(half, 3)), tuple(index.search(half.astype(np.float64), 3)))
    brain = torch.tensor([[0.75, 0.125]], dtype=torch.bfloat16)
    np.testing.assert_array_equal(tuple(index.search(brain, 3)), tuple(index.search(brain.double(), 3)))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.1, 1.5])
def test_numbers_that_are_no_turns_are_refused(bad):
    index = Index(3, bits=2)
    index.add(np.zeros((1, 3), np.uint8))
    for search in (index.search, lambda turns: index.within(turns, 5)):
        with pytest.raises(ValueError, match=f"queries holds {bad} in row 1; turns are in"):
            search(np.array([[0, 0.5, 0], [0, 0, bad]]))
    with pytest.raises(ValueError, match=r"queries has shape \(2, 4\); pass a matrix \[vectors, 3\]"):
        index.search(np.zeros((2, 4)))


def test_records_of_floats_are_not_rounded_and_those_of_codes_are_compared_with_codes():
    raw = RNG.normal(size=(200, 16)).astype(np.float32)
    record = Embeddings(raw, "raw", "torusN")
    index = Index(8, bits=2)
    index.add(record)
    by_record = index.search(record, 5)
    assert by_record.asymmetric
    np.testing.assert_array_equal(tuple(by_record), tuple(index.search(record.turns(), 5)))
    codes = Embeddings(record.codes(8), "codes", "torusN", bits=8)
    assert not index.search(codes, 5).asymmetric
    np.testing.assert_array_equal(tuple(nearest(record.codes(2), record.turns(), 5, bits=2)), tuple(by_record))


def test_a_coarse_part_changes_nothing():
    rng = np.random.default_rng(5)
    index = Index(12, bits=4)
    index.add(rng.integers(0, 16, (3000, 12)))
    turns = rng.random((9, 12))
    before = index.search(turns, 7)
    index.coarsen(coordinates=6, bits=2)
    after = index.search(turns, 7)
    assert after.asymmetric
    assert np.array_equal(after.ids, before.ids)
    assert np.array_equal(after.distances, before.distances)


def test_a_narrowed_index_takes_the_first_turns_of_a_wider_record_of_its_model():
    rng = np.random.default_rng(6)
    record = Embeddings(rng.standard_normal((40, 16)), "raw", "torusN", model="owl")
    index = Index(8, model="owl")
    index.add(record)
    narrow = index.narrowed(coordinates=4, bits=2)
    found = narrow.search(record, 3)
    assert found.asymmetric
    assert np.array_equal(found.distances, narrow.search(record.turns()[:, :4], 3).distances)
