"""A narrowed index is the index of the narrowed codes, and is searched by the embeddings of the whole model."""

import numpy as np
import pytest

from hypertorus import Embeddings
from hypertorus.search import METRICS, Index

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 256, (3000, 16), np.uint8)


def example(metric="l1", model="cafe"):
    """An index with cells, codes that came later, removed ones, labels, names and ids of its own."""
    index, ids = Index(16, metric=metric, model=model), RNG.permutation(9000)[:3000]
    labels, names = [("owl", "jay")[i % 2] for i in ids], [f"{i}.wav" for i in ids]
    index.add(CODES[:2500], ids[:2500], labels[:2500], names=names[:2500])
    index.arrange()
    index.add(CODES[2500:], ids[2500:], labels[2500:], names=names[2500:])
    index.remove(ids[::7])
    return index


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("coordinates", "bits"), [(5, 2), (None, 4), (7, None), (16, 8), (1, 1)])
def test_it_is_the_index_of_the_narrowed_codes(metric, coordinates, bits, oracle):
    index = example(metric)
    small = index.narrowed(coordinates, bits)
    dim, depth = coordinates or 16, bits or 8
    codes = index.vectors(index.ids)[:, :dim] >> (8 - depth)
    assert (small.dim, small.bits, small.metric, small.model) == (dim, depth, metric, "cafe")
    np.testing.assert_array_equal(small.ids, index.ids)
    np.testing.assert_array_equal(small.vectors(small.ids), codes)
    np.testing.assert_array_equal(small.labels, index.labels)
    np.testing.assert_array_equal(small.names_of(small.ids), index.names_of(index.ids))
    assert small.cells
    queries = CODES[:20, :dim] >> (8 - depth)
    expected = oracle.search(index.ids, codes, queries, 5, metric, bits=depth)
    np.testing.assert_array_equal(tuple(small.search(queries, 5)), expected)


def test_each_goes_its_own_way_afterwards(tmp_path):
    index = example()
    small = index.narrowed(4, 4)
    fresh = small.add(np.zeros((1, 4), np.uint8), labels=["wren"], names=["new"])
    index.add(CODES[:1], labels=["tit"], names=["other"])
    assert fresh[0] == index.ids[-1]
    assert (small.labels[-1], index.labels[-1]) == ("wren", "tit")
    small.save(tmp_path / "small.index")
    opened = Index.open(tmp_path / "small.index")
    np.testing.assert_array_equal(opened.labels, small.labels)
    assert opened.model == "cafe"


def test_a_journal_is_narrowed_with_its_file(tmp_path):
    example().save(tmp_path / "a.index")
    with Index.editing(tmp_path / "a.index") as index:
        index.remove(index.ids[:5])
    seen = []
    opened = Index.open(tmp_path / "a.index")
    small = opened.narrowed(3, 2, progress=lambda done, total: seen.append((done, total)))
    np.testing.assert_array_equal(small.vectors(small.ids), opened.vectors(opened.ids)[:, :3] >> 6)
    assert seen[-1] == (len(opened), len(opened))


def test_embeddings_of_the_whole_model_are_cut_alike():
    small = example().narrowed(5, 2)
    whole = Embeddings(CODES[:9], "codes", "torusC", model="cafe")
    found, expected = small.search(whole, 4), small.search(CODES[:9, :5] >> 6, 4)
    np.testing.assert_array_equal(tuple(found), tuple(expected))
    np.testing.assert_array_equal(tuple(small.search(whole.narrowed(5, 2), 4)), tuple(expected))
    ids = small.add(whole, labels=["owl"] * 9, names=["x"] * 9)
    np.testing.assert_array_equal(small.vectors(ids), CODES[:9, :5] >> 6)


def test_what_may_be_of_another_model_is_refused_with_the_way_out():
    small = example().narrowed(5, 2)
    with pytest.raises(ValueError, match=r"the index has 5; .*embeddings\.narrowed\(coordinates=5\)"):
        small.search(Embeddings(CODES[:9], "codes", "torusC"))
    with pytest.raises(ValueError, match="of the model beef"):
        small.search(Embeddings(CODES[:9], "codes", "torusC", model="beef"))
    with pytest.raises(ValueError, match=r"model\.encode\(x, coordinates=5, bits=2\)"):
        small.search(CODES[:9])
    with pytest.raises(ValueError, match="a coordinate of 2 bits is 0 to 3"):
        small.search(CODES[:9, :5])
    with pytest.raises(ValueError, match="coordinates is 17"):
        example().narrowed(17)
    with pytest.raises(ValueError, match="bits is 3"):
        example().narrowed(bits=3)
    with pytest.raises(ValueError, match="bits is 4, but these codes have 2"):
        small.narrowed(bits=4)
    assert len(Index(4).narrowed(2)) == 0
