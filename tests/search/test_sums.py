"""Sums of table entries against the sum written out: every depth, parts of blocks, removed codes, cells, threads."""

import numpy as np
import pytest

from hypertorus.search import Index

RNG = np.random.default_rng(5)


def literal(tables, codes):
    """Sums [tables, codes], one literal look-up at a time."""
    return np.stack([table[np.arange(codes.shape[1]), codes].sum(axis=1) for table in tables.astype(np.int64)])


@pytest.mark.parametrize("bits", [8, 4, 2, 1])
@pytest.mark.parametrize("dim", [1, 7, 33, 64])
def test_sums_are_those_of_the_tables_in_the_order_of_ids(bits, dim):
    codes = RNG.integers(0, 2**bits, (2500, dim), np.uint8)
    tables = RNG.integers(-3000, 3000, (3, dim, 2**bits))
    index = Index(dim, bits=bits)
    ids = RNG.permutation(9000)[:2500].astype(np.int64)
    index.add(codes[:1111], ids[:1111])
    index.add(codes[1111:], ids[1111:])
    np.testing.assert_array_equal(index.sums(tables), literal(tables, codes))
    index.remove(ids[5:2000:7])
    left = np.isin(ids, index.ids)
    np.testing.assert_array_equal(index.sums(tables, threads=2), literal(tables, codes[left]))
    if dim == 33:
        index.arrange(cells=8)
        np.testing.assert_array_equal(index.sums(tables, threads=1), literal(tables, codes[left]))


def test_an_empty_index_has_no_sums():
    assert Index(3).sums(np.zeros((2, 3, 256), int)).shape == (2, 0)


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        (np.zeros((1, 3, 16), int), r"pass \[tables, 3, 256\]"),
        (np.zeros((0, 3, 256), int), "at least one"),
        (np.full((1, 3, 256), 2**30), "scale the tables down"),
    ],
)
def test_tables_that_do_not_fit_are_refused(tables, sentence):
    with pytest.raises(ValueError, match=sentence):
        Index(3).sums(tables)


def test_floats_are_refused():
    with pytest.raises(TypeError, match="pass whole numbers"):
        Index(3).sums(np.zeros((1, 3, 256)))
