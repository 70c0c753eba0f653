"""A shard that is missing, damaged or another one is named, and `partial=True` answers from the rest."""

import numpy as np
import pytest

from hypertorus.embeddings import Embeddings
from hypertorus.search import Index
from hypertorus.shards import ProcessMap, ShardedIndex, ShardError
from hypertorus.shards.shard import ShardSource, open_shard


def remove(path):
    path.unlink()


def cut(path):
    path.write_bytes(path.read_bytes()[:-64])


def flip(path):
    content = bytearray(path.read_bytes())
    content[-200] ^= 1
    path.write_bytes(content)


def replace_by(codes, metric="l1", model=None):
    def replace(path):
        index = Index(codes.shape[1], metric=metric, model=model)
        index.add(codes, ids=np.arange(100, 100 + len(codes)))
        path.unlink()
        index.save(path)

    return replace


def change(path):
    with Index.editing(path) as index:
        index.remove([int(index.ids[0])])


OTHER = np.random.default_rng(5).integers(0, 256, (100, 5), dtype=np.uint8)
DAMAGES = {
    "missing": (remove, "is missing"),
    "cut": (cut, "cannot be opened"),
    "flipped": (flip, "checksum of its .* is wrong"),
    "no index": (lambda path: path.write_text("an owl is a bird"), "cannot be opened"),
    "another model": (
        replace_by(OTHER, model="b" * 16),
        "is of the model b+, and the other shards are of the model a+",
    ),
    "another metric": (replace_by(OTHER, "l2", "a" * 16), "has dim 5, bits 8, metric l2"),
    "another index": (replace_by(OTHER, model="a" * 16), "is another file than the manifest says"),
    "changed": (change, "was changed since"),
}


@pytest.fixture
def damaged(request, codes, tmp_path):
    """A folder of three shards of which the second is damaged, what is then told, and the codes."""
    record = Embeddings(codes, "codes", "torusC", model="a" * 16, names=np.array([f"owl {i}" for i in range(300)]))
    ShardedIndex.build(record, tmp_path / "shards", 3, metric="l1")
    damage, message = DAMAGES[request.param]
    damage(tmp_path / "shards" / "shard-00001.index")
    return tmp_path / "shards", message


@pytest.mark.parametrize("damaged", DAMAGES, indirect=True)
def test_a_damaged_shard_is_named_and_the_rest_can_be_searched(damaged, codes, queries, whole, same):
    folder, message = damaged
    index = ShardedIndex.open(folder)
    with pytest.raises(ShardError, match=rf"^shard-00001\.index of .*{message}.*partial=True \(--partial\)\.$"):
        index.search(queries)
    with pytest.raises(ShardError, match=message):
        index.within(queries, 100)
    rest = np.r_[0:100, 200:300]
    expected = whole(codes[rest], ids=rest, names=[f"owl {i}" for i in rest])
    found = index.search(queries, 12, partial=True)
    same(found, expected.search(queries, 12))
    np.testing.assert_array_equal(found.names, expected.search(queries, 12).names)
    assert [(shard.name, shard.count) for shard in found.missing] == [("shard-00001.index", 100)]
    (near, *_) = index.within(queries, 100, partial=True)
    same(near, expected.within(queries, 100)[0])
    assert near.missing == found.missing


@pytest.mark.parametrize("damaged", ["missing"], indirect=True)
def test_a_shard_that_comes_back_is_searched(damaged, codes, queries, whole, same):
    folder, _ = damaged
    index = ShardedIndex.open(folder)
    assert index.search(queries, partial=True).missing
    record = Embeddings(codes, "codes", "torusC", model="a" * 16, names=np.array([f"owl {i}" for i in range(300)]))
    ShardedIndex.build(record, folder.parent / "again", 3, metric="l1")
    (folder.parent / "again" / "shard-00001.index").rename(folder / "shard-00001.index")
    found = index.search(queries, partial=True)
    assert found.missing == ()
    same(found, whole(codes).search(queries))


@pytest.mark.parametrize("damaged", ["missing"], indirect=True)
def test_only_shards_that_may_have_an_id_are_asked(damaged, queries):
    index = ShardedIndex.open(damaged[0])
    assert set(index.search(queries, 3, where=[5, 250, 299]).ids.ravel()) == {5, 250, 299}
    assert index.names_of([299]) == ["owl 299"]
    with pytest.raises(ShardError, match=r"shard-00001\.index"):
        index.names_of([5, 100])
    assert index.search(queries, 3, where=[5, 100], partial=True).ids[0].tolist() == [5, -1, -1]


def test_nothing_is_left(codes, queries, tmp_path):
    index = ShardedIndex.build(codes, tmp_path / "shards", 2, labels=["owl"] * 300)
    for shard in index.shards:
        (tmp_path / "shards" / shard.name).unlink()
    found = index.search(queries, 2, partial=True)
    assert (found.ids == -1).all()
    assert (found.labels == "").all()
    assert len(found.missing) == 2


def test_an_open_shard_is_sent_as_its_name(codes, tmp_path):
    import pickle

    ShardedIndex.build(codes, tmp_path / "shards", 1)
    manifest = ShardedIndex.open(tmp_path / "shards").manifest
    (source,) = ShardSource.all_of(manifest, str(tmp_path / "shards"), verify=True)
    shard = open_shard(source)
    sent = pickle.dumps(shard)
    assert len(sent) < 1000
    assert pickle.loads(sent).index.ids.tolist() == list(range(300))
    assert shard.__sizeof__() == (tmp_path / "shards" / "shard-00000.index").stat().st_size


def test_a_shard_of_which_every_process_dies_is_given_up(codes, tmp_path, monkeypatch):
    monkeypatch.setattr("hypertorus.shards.process_map.MOST_DEATHS", 2)
    index = ShardedIndex.build(codes, tmp_path / "shards", 2)
    sources = ShardSource.all_of(index.manifest, str(tmp_path / "shards"), verify=True)
    with ProcessMap(1) as processes:
        one, other = processes(deadly, sources)
        assert one.reason.endswith("was searched by 2 processes, and all of them died")
        assert other == "shard-00001.index"


def deadly(source):
    """What no process survives, of the first shard."""
    if source.number == 0:
        import os
        import signal

        os.kill(os.getpid(), signal.SIGKILL)
    return source.shard.name
