"""A sharded index answers as one index of everything does, bit for bit."""

import random

import numpy as np
import pytest

from hypertorus.embeddings import Embeddings
from hypertorus.shards import ShardedIndex


def shuffled(question, shards):
    """A map whose answers come in another order, each after a question to another shard."""
    order = list(shards)
    random.Random(len(order)).shuffle(order)
    return [question(shard) for shard in order]


@pytest.mark.parametrize("bits", [8, 4, 2, 1])
@pytest.mark.parametrize(("metric", "arrange"), [("l1", True), ("l2", False), ("cosine", False), ("cosine", True)])
def test_every_metric_and_depth(bits, metric, arrange, whole, same, tmp_path):
    rng = np.random.default_rng(bits)
    codes, queries = rng.integers(0, 2**bits, (200, 3)), rng.integers(0, 2**bits, (9, 3))
    ids = rng.permutation(1000)[:200]
    one = whole(codes, bits, metric, ids=ids)
    index = ShardedIndex.build(codes, tmp_path / "shards", 3, bits=bits, metric=metric, ids=ids, arrange=arrange)
    index = ShardedIndex.open(tmp_path / "shards", shuffled)
    for k in (1, 10, 80, 250):  # more than a shard has, and more than all have
        same(index.search(queries, k), one.search(queries, k))
    turns = rng.random((4, 3))
    same(index.search(turns, 5), one.search(turns, 5))
    assert index.search(turns, 5).asymmetric == (bits < 8)
    radius = int(one.search(queries, 20).distances.max())
    for given in (queries, turns):
        for found, expected in zip(index.within(given, radius), one.within(given, radius), strict=True):
            same(found, expected)


@pytest.mark.parametrize("shards", [1, 2, 19])
def test_any_number_of_shards(shards, codes, queries, whole, same, tmp_path):
    index = ShardedIndex.build(codes, tmp_path / "shards", shards, metric="l1")
    assert len(index.shards) == shards
    assert {shard.count for shard in index.shards} <= {300 // shards, -(-300 // shards)}
    same(index.search(queries, 12), whole(codes).search(queries, 12))


def test_many_queries_are_asked_in_batches(codes, whole, same, tmp_path, monkeypatch):
    monkeypatch.setattr("hypertorus.shards.sharded_index._QUERIES_AT_ONCE", 7)
    index, steps = ShardedIndex.build(codes, tmp_path / "shards", 3), []
    one = whole(codes, metric="cosine")
    same(index.search(codes, 4, progress=lambda *step: steps.append(step)), one.search(codes, 4))
    assert steps[-1] == (900, 900)
    assert steps == sorted(steps)


def test_searching_among_ids(codes, queries, whole, same, tmp_path):
    index, one = ShardedIndex.build(codes, tmp_path / "shards", 4, metric="l1"), whole(codes)
    for where in ([5], [299, 3, 150, 3], np.arange(0, 300, 2), np.arange(80)):
        same(index.search(queries, 6, where), one.search(queries, 6, where))
        for found, expected in zip(index.within(queries, 90, where), one.within(queries, 90, where), strict=True):
            same(found, expected)
    with pytest.raises(ValueError, match="ids holds 300, which is in no shard"):
        index.search(queries, 6, [2, 300])
    with pytest.raises(TypeError, match="where is a mask"):
        index.search(queries, 6, np.ones(300, bool))


def test_labels_names_and_vectors(codes, queries, whole, tmp_path):
    labels, names = [f"class {i % 7}" for i in range(300)], [f"owl-{i}.wav" for i in range(300)]
    ids = np.random.default_rng(3).permutation(300)
    one = whole(codes, labels=labels, names=names, ids=ids)
    index = ShardedIndex.build(codes, tmp_path / "shards", 4, metric="l1", labels=labels, names=names, ids=ids)
    found, expected = index.search(queries, 9), one.search(queries, 9)
    np.testing.assert_array_equal(found.labels, expected.labels)
    np.testing.assert_array_equal(found.names, expected.names)
    np.testing.assert_array_equal(index.vectors([7, 250, 7]), one.vectors([7, 250, 7]))
    np.testing.assert_array_equal(index.labels_of([4, 299]), one.labels_of([4, 299]))
    assert index.search(queries, 400).names[0, -1] == ""
    plain = ShardedIndex.build(codes, tmp_path / "plain", 2)
    assert plain.search(queries).labels is None
    with pytest.raises(ValueError, match="no labels"):
        plain.labels_of([1])
    with pytest.raises(ValueError, match="no names"):
        plain.names_of([1])


def test_embeddings_of_another_model_are_refused(codes, queries, tmp_path):
    classes = ("owl", "jay")
    record = Embeddings(codes, "codes", "torusC", model="a" * 16, labels=np.arange(300) % 2, classes=classes)
    index = ShardedIndex.build(record, tmp_path / "shards", 2, metric="l1")
    assert index.model == "a" * 16
    assert index.manifest.labels == "strings"
    own, other = (Embeddings(queries, "codes", "torusC", model=model * 16) for model in "ab")
    assert set(index.search(own, 3).labels.ravel()) <= set(classes)
    with pytest.raises(ValueError, match="are of the model bbbbbbbbbbbbbbbb"):
        index.search(other)
    with pytest.raises(ValueError, match="are of the model bbbbbbbbbbbbbbbb"):
        index.add(other)


def test_wrong_queries_are_the_same_errors_as_of_an_index(codes, whole, tmp_path):
    index, one = ShardedIndex.build(codes, tmp_path / "shards", 2, bits=8, metric="l1"), whole(codes)
    for queries, options in (
        (codes[:, :3], {}),
        (codes[:2].astype(int) + 200, {}),
        (codes[:0], {}),
        (np.full((1, 5), np.nan), {}),
        (codes[:2], {"k": 0}),
        (codes[:2], {"threads": 0}),
        (["owl"], {}),
    ):
        with pytest.raises((ValueError, TypeError)) as expected:
            one.search(queries, **options)
        with pytest.raises(type(expected.value)) as found:
            index.search(queries, **options)
        assert str(found.value) == str(expected.value)


def test_the_repr_tells_the_shape(codes, tmp_path):
    index = ShardedIndex.build(codes, tmp_path / "shards", 2)
    expected = f"ShardedIndex(dim=5, bits=8, metric='cosine') of 300 codes in 2 shards of {tmp_path / 'shards'}"
    assert repr(index) == expected
