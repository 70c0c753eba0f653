"""Shards are written whole or not at all: manifest last, ids unique, nothing replaced that is not ours."""

import json
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from hypertorus.embeddings import Embeddings
from hypertorus.search import Index
from hypertorus.shards import ShardedIndex, ShardError
from hypertorus.shards.manifest import Manifest


def test_shards_are_index_files(codes, tmp_path):
    index = ShardedIndex.build(codes, tmp_path / "shards", 3, metric="l1", arrange=True)
    parts = [Index.open(tmp_path / "shards" / shard.name) for shard in index.shards]
    assert [len(part) for part in parts] == [100, 100, 100]
    assert all(part.cells for part in parts)
    ids = np.concatenate([np.sort(part.ids) for part in parts])
    np.testing.assert_array_equal(ids, np.arange(300))
    for part, shard in zip(parts, index.shards, strict=True):
        assert (part.file_checksum, part.ids.min(), part.ids.max()) == (shard.checksum, shard.first_id, shard.last_id)
        assert (tmp_path / "shards" / shard.name).stat().st_size == shard.bytes


def test_adding(codes, queries, whole, same, tmp_path):
    index = ShardedIndex.build(codes[:100], tmp_path / "shards", 2, metric="l1")
    reader = ShardedIndex.open(tmp_path / "shards")
    index.add(codes[100:220])
    assert [shard.count for shard in index.shards] == [50, 50, 40, 40, 40]
    index.add(codes[220:], shards=1, arrange=True)
    same(ShardedIndex.open(tmp_path / "shards").search(queries), whole(codes).search(queries))
    same(reader.search(queries), whole(codes[:100]).search(queries))


def test_ids_are_unique_over_all_shards(codes, tmp_path):
    ids = np.arange(0, 600, 2)
    index = ShardedIndex.build(codes, tmp_path / "shards", 3, ids=ids)
    before = sorted(tmp_path.glob("shards/*"))
    with pytest.raises(ValueError, match=r"ids holds 598, which is in shard-00002\.index already"):
        index.add(codes[:2], ids=[1, 598])
    assert sorted(tmp_path.glob("shards/*")) == before
    index.add(codes[:2], ids=[1, 597])
    index.add(codes[:2])
    assert index.shards[-1].first_id == 599
    with pytest.raises(ValueError, match="ids holds 7"):
        ShardedIndex.build(codes[:4], tmp_path / "other", 2, ids=[7, 8, 9, 7])
    assert not (tmp_path / "other").exists()


def test_all_shards_have_labels_and_names_or_none_has(codes, tmp_path):
    index = ShardedIndex.build(codes[:10], tmp_path / "shards", 2, labels=["owl"] * 10)
    for columns in ({}, {"labels": [3] * 5}, {"labels": ["jay"] * 5, "names": ["a"] * 5}):
        with pytest.raises(ValueError, match="give all the same"):
            index.add(codes[:5], **columns)
    assert len(index.shards) == 2


@pytest.mark.parametrize(
    ("vectors", "options", "message"),
    [
        (np.zeros((2, 3), np.uint8), {"shards": 3}, "shards is 3 for 2 vectors"),
        (np.zeros((2, 3), np.uint8), {"shards": 0}, "shards is 0"),
        (np.zeros((2, 3), np.uint8), {"shards": 1, "ids": [1]}, "ids has 1 entries for 2 vectors"),
        (np.zeros((2, 3), np.uint8), {"shards": 1, "metric": "l3"}, "metric"),
        (np.zeros(3, np.uint8), {"shards": 1}, "pass a matrix"),
        (Embeddings(np.ones((2, 4)), "raw", "sphere"), {"shards": 1}, "an index needs a torus"),
    ],
)
def test_mistakes_are_one_sentence_and_leave_nothing(vectors, options, message, tmp_path):
    with pytest.raises((ValueError, TypeError), match=message):
        ShardedIndex.build(vectors, tmp_path / "shards", **options)
    assert not any(tmp_path.glob("[!c]*"))


def test_what_is_there_is_replaced_when_asked_and_nothing_else_is(codes, tmp_path):
    folder = tmp_path / "shards"
    ShardedIndex.build(codes, folder, 3)
    with pytest.raises(ValueError, match="already holds a sharded index; pass --force"):
        ShardedIndex.build(codes[:9], folder, 2)
    assert len(ShardedIndex.build(codes[:9], folder, 2, force=True)) == 9
    assert len(list(folder.iterdir())) == 3
    (folder / "thesis.tex").write_text("years of work")
    with pytest.raises(ValueError, match=r"holds thesis\.tex, which is not ours to replace"):
        ShardedIndex.build(codes, folder, 2, force=True)
    assert len(ShardedIndex.open(folder)) == 9


def test_a_killed_build_leaves_no_index_and_a_killed_addition_the_old_one(codes, tmp_path):
    script = """
import sys, time, numpy as np
from hypertorus.shards import ShardedIndex, place
def slow(self, manifest):
    print("shards written", flush=True); time.sleep(60)
place.LocalPlace.write_manifest = slow
codes = np.zeros((10, 5), np.uint8)
if sys.argv[2] == "build":
    ShardedIndex.build(codes, sys.argv[1], 2, force=True)
else:
    ShardedIndex.open(sys.argv[1]).add(codes)
"""
    for folder, what in ((tmp_path / "new", "build"), (tmp_path / "old", "build"), (tmp_path / "old", "add")):
        if folder.name == "old" and not folder.exists():
            ShardedIndex.build(codes, folder, 3)
        command = [sys.executable, "-c", script, str(folder), what]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "shards written\n"
            process.kill()
    with pytest.raises(ShardError, match=r"new has no shards\.json"):
        ShardedIndex.open(tmp_path / "new")
    index = ShardedIndex.open(tmp_path / "old")
    assert len(index) == 300
    assert len(list((tmp_path / "old").iterdir())) == 5  # the shard that the killed addition has left
    index.add(codes[:7])
    assert [shard.count for shard in index.shards] == [100, 100, 100, 7]
    assert len(list((tmp_path / "old").iterdir())) == 5


def test_writers_wait_for_each_other(codes, tmp_path):
    ShardedIndex.build(codes, tmp_path / "shards", 1)
    script = """
import sys, numpy as np
from hypertorus.shards import ShardedIndex
for _ in range(4):
    ShardedIndex.open(sys.argv[1]).add(np.zeros((3, 5), np.uint8))
"""
    others = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "shards")]) for _ in range(2)]
    assert [other.wait() for other in others] == [0, 0]
    index = ShardedIndex.open(tmp_path / "shards")
    assert len(index) == 324
    assert [shard.first_id for shard in index.shards] == [0, *range(300, 324, 3)]


def test_a_damaged_manifest_is_one_sentence(codes, tmp_path):
    ShardedIndex.build(codes, tmp_path / "shards", 2)
    file = tmp_path / "shards" / "shards.json"
    facts = json.loads(file.read_text())
    for text, message in (
        (file.read_text().replace('"count": 150', '"count": 149'), "its checksum is wrong"),
        (file.read_text()[:-30], "is no JSON of a manifest"),
        ("[]", "is no JSON of a manifest"),
        (json.dumps({**facts, "format": "owls"}), "is no manifest of shards"),
        (json.dumps({**facts, "format_version": 2}), "has format version 2, not 1; update hypertorus"),
    ):
        file.write_text(text)
        with pytest.raises(ShardError, match=message):
            ShardedIndex.open(tmp_path / "shards")


@pytest.mark.parametrize(
    "change",
    [
        {"dim": 0},
        {"bits": 3},
        {"metric": "l3"},
        {"model": 7},
        {"names": 1},
        {"labels": "some"},
        {"next_id": -1},
        {"name": "../../owl.index"},
        {"count": "9"},
        {"checksum": "?"},
    ],
)
def test_a_manifest_of_what_cannot_be_is_refused(change, codes, tmp_path):
    index = ShardedIndex.build(codes, tmp_path / "shards", 1)
    facts = {field: getattr(index.manifest, field) for field in Manifest.__dataclass_fields__}
    shard = dict(vars(index.shards[0]))
    (shard if change.keys() & shard.keys() else facts).update(change)
    forged = Manifest(**{**facts, "shards": (type(index.shards[0])(**shard),)})
    with pytest.raises(ShardError, match="speaks of shards that cannot be"):
        Manifest.parsed(forged.text(), "here")


def test_memory_is_that_of_one_shard(tmp_path):
    """Eight shards of 2 MB each are built of a mapped file, within far less memory than all of them take."""
    np.save(tmp_path / "codes.npy", np.zeros((2**18, 64), np.uint8))
    codes, peaks = np.load(tmp_path / "codes.npy", mmap_mode="r"), []
    for shards in (8, 1):
        tracemalloc.start()
        ShardedIndex.build(codes, tmp_path / f"{shards}", shards)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[0] < 12e6  # a shard, what it grows by, and a piece of the file, but not the 17 MB of all codes
    assert peaks[1] > 2 * peaks[0]
