"""Shards under a URL: written through fsspec, fetched once, kept under their checksum."""

import shutil

import fsspec
import pytest

from hypertorus.files.cache import cache_folder
from hypertorus.shards import ShardedIndex, ShardError


@pytest.fixture
def memory():
    files = fsspec.filesystem("memory")
    yield files
    for path in files.find("/owls"):
        files.rm_file(path)


def test_a_folder_as_url(codes, queries, whole, same, tmp_path):
    ShardedIndex.build(codes, f"file://{tmp_path}/shards", 2, metric="l1")
    assert len(list((tmp_path / "shards").iterdir())) == 3
    same(ShardedIndex.open(tmp_path / "shards").search(queries), whole(codes).search(queries))
    assert not cache_folder("shards").exists()


def test_other_file_systems(memory, codes, queries, whole, same):
    index = ShardedIndex.build(codes[:200], "memory://owls/2024", 2, metric="l1")
    index.add(codes[200:])
    assert sorted(memory.find("/owls")) == [f"/owls/2024/shard-0000{i}.index" for i in range(3)] + [
        "/owls/2024/shards.json"
    ]
    same(ShardedIndex.open("memory://owls/2024/").search(queries), whole(codes).search(queries))
    kept = sorted(path.stem for path in cache_folder("shards").iterdir())
    assert kept == sorted(shard.checksum for shard in index.shards)


def test_a_shard_is_fetched_once_and_again_when_the_copy_is_damaged(memory, codes, queries, whole, same, monkeypatch):
    fetched = []
    plain = type(memory).open
    monkeypatch.setattr(
        type(memory), "open", lambda self, path, *a, **o: fetched.append(path) or plain(self, path, *a, **o)
    )
    ShardedIndex.build(codes, "memory://owls", 2, metric="l1")
    fetched.clear()

    def search(expected_fetches):
        from hypertorus.shards.shard import _opened

        _opened.cache_clear()
        same(ShardedIndex.open("memory://owls").search(queries), whole(codes).search(queries))
        shards = [path for path in fetched if path.endswith(".index")]
        assert len(shards) == expected_fetches
        fetched.clear()

    search(2)
    search(0)
    kept = sorted(cache_folder("shards").iterdir())
    content = bytearray(kept[0].read_bytes())
    content[-1] ^= 1
    kept[0].write_bytes(content)
    kept[1].write_bytes(b"cut short")
    search(2)
    search(0)


def test_replacing_and_failing_leave_nothing_behind(memory, codes):
    ShardedIndex.build(codes, "memory://owls", 3)
    index = ShardedIndex.build(codes[:10], "memory://owls", 1, force=True)
    assert [shard.name for shard in index.shards] == ["shard-00003.index"]
    assert len(memory.find("/owls")) == 2
    with pytest.raises(ValueError, match="ids holds 5"):
        index.add(codes[:4], shards=2, ids=[20, 21, 5, 22])
    assert len(memory.find("/owls")) == 2
    memory.rm_file("/owls/shard-00003.index")  # which the addition has brought to the cache
    shutil.rmtree(cache_folder("shards"))
    with pytest.raises(ShardError, match=r"shard-00003\.index of memory://owls is missing"):
        ShardedIndex.open("memory://owls").search(codes[:1])
    with pytest.raises(ShardError, match=r"memory://nobody has no shards\.json"):
        ShardedIndex.open("memory://nobody")


def test_a_missing_package_names_its_extra(monkeypatch):
    monkeypatch.setattr("hypertorus.files.extras.find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r"needs fsspec, .* pip install 'hypertorus\[cluster\]'"):
        ShardedIndex.open("s3://owls")
