"""The journal of an index: a commit writes what changed, to be read with the file, whole or not at all."""

import copy
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from hypertorus.search import Index, IndexFileError, _store

HERE = Path(__file__).parent
RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 256, (3000, 6), np.uint8)


def labels(ids):
    return [f"label {one % 7}" for one in ids]


def names(ids):
    return [f"name {one}" for one in ids]


def add(index, n):
    first = index._state.next_id
    ids = range(first, first + n)
    return index.add(CODES[first : first + n], labels=labels(ids), names=names(ids))


@pytest.fixture
def path(tmp_path):
    index = Index(6, metric="l1")
    add(index, 1000)
    index.save(tmp_path / "index")
    return tmp_path / "index"


def journal(path):
    return path.with_name(path.name + ".journal")


def everything(index):
    facts = index.ids.tolist(), index.vectors(index.ids).tolist(), index._state.next_id, index.model
    found = index.search(CODES[:5], k=5)
    return *facts, index.labels.tolist(), index.names_of(index.ids).tolist(), found.ids.tolist(), found.labels.tolist()


def test_a_commit_writes_only_what_is_new(path):
    before = path.read_bytes()
    index = Index.open(path)
    sizes = []
    for one in range(5):
        add(index, 3)
        index.remove([one, 1000 + 3 * one])
        index.commit()
        sizes.append(journal(path).stat().st_size)
        assert everything(Index.open(path)) == everything(index)
    assert path.read_bytes() == before
    assert sizes[-1] < 10_000
    index.commit()
    assert journal(path).stat().st_size == sizes[-1]
    index.save(path)
    assert not journal(path).exists()
    assert everything(Index.open(path)) == everything(index)


def test_any_sequence_of_changes_is_committed(path):
    rng = np.random.default_rng(1)
    index = Index.open(path)
    for step in range(60):
        kind = rng.integers(5)
        if kind <= 1:
            add(index, int(rng.integers(1, 20)))
        elif kind == 2:
            index.remove(rng.choice(index.ids, 10, replace=False))
        elif kind == 3:
            free = np.setdiff1d(np.arange(index._state.next_id), index.ids)[:5]
            if len(free):
                index.add(CODES[free], free, labels=labels(free), names=names(free))
        else:
            index.commit()
            index = Index.open(path) if step % 2 else index
            assert everything(Index.open(path)) == everything(index)
    index.remove(index.ids)
    index.add(CODES[:3], labels=[1, 2, 3])
    index.model = "cafe"
    index.commit()
    opened = Index.open(path)
    assert (opened.labels.tolist(), opened.has_names, opened.model) == ([1, 2, 3], False, "cafe")


def test_a_model_alone_is_committed(path):
    index = Index.open(path)
    index.model = "cafe"
    index.commit()
    assert everything(Index.open(path)) == everything(index)


def test_a_file_of_version_1_takes_a_journal(tmp_path):
    path = tmp_path / "index"
    path.write_bytes((HERE / "golden" / "index_v1.safetensors").read_bytes())
    with Index.editing(path) as index:
        index.remove(index.ids[:1])
        index.add(np.full((2, 5), 7), labels=["cat", "dog"])
    opened = Index.open(path)
    assert opened.ids.tolist() == index.ids.tolist()
    assert opened.labels[-2:].tolist() == ["cat", "dog"]
    assert path.read_bytes() == (HERE / "golden" / "index_v1.safetensors").read_bytes()


def test_an_index_without_a_file_has_nowhere_to_commit_to(path):
    with pytest.raises(ValueError, match=r"this index has no file yet; write one with index.save\(path\)"):
        Index(6).commit()
    index = Index(6)
    add(index, 2)
    index.save(path)
    add(index, 2)
    index.commit()
    assert everything(Index.open(path)) == everything(index)
    assert journal(path).exists()


def test_a_file_that_another_writer_changed_is_not_written_to(path):
    first, second, third = Index.open(path), Index.open(path), Index.open(path)
    for index in (first, second, third):
        add(index, 3)
    twin = copy.copy(first)
    first.commit()
    kept = everything(Index.open(path))
    for other in (second, twin):
        with pytest.raises(ValueError, match="index was changed by another writer since it was opened here; open it"):
            other.commit()
    assert everything(Index.open(path)) == kept
    first.save(path)
    with pytest.raises(ValueError, match="was changed by another writer"):
        third.commit()
    with Index.editing(path) as index:
        add(index, 1)
    assert len(Index.open(path)) == 1004


def test_an_error_while_editing_changes_nothing(path):
    before = everything(Index.open(path))

    def fail():
        with Index.editing(path) as index:
            add(index, 3)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert everything(Index.open(path)) == before
    assert not journal(path).exists()


def test_a_journal_that_has_grown_is_folded_in(path, monkeypatch):
    monkeypatch.setattr(_store, "LEAST_TO_FOLD", 3000)
    told, sizes = [], []
    index = Index.open(path)
    while index._state.next_id < 1500:
        add(index, 20)
        index.commit(lambda *now: told.append(now))
        sizes.append(path.stat().st_size)
        assert everything(Index.open(path)) == everything(index)
    assert 1 < len(set(sizes)) < 10
    assert told


def test_more_changes_than_are_kept_are_written_with_all(path, monkeypatch):
    monkeypatch.setattr("hypertorus.search.index._CHANGES_KEPT", 10)
    with Index.editing(path) as index:
        add(index, 600)
        index.commit()
        assert not journal(path).exists()
        add(index, 3)
    assert journal(path).exists()
    assert everything(Index.open(path)) == everything(index)


def test_editing_does_not_read_the_file_and_folding_in_notices_damage(path, monkeypatch):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with Index.editing(path) as index:
        add(index, 3)
    assert journal(path).exists()
    monkeypatch.setattr(_store, "LEAST_TO_FOLD", 100)
    monkeypatch.setattr("hypertorus.search.index._CHANGES_KEPT", 10)
    with pytest.raises(IndexFileError, match="the checksum of its names is wrong"), Index.editing(path) as index:
        add(index, 500)
    assert path.read_bytes() == data


def test_what_a_killed_commit_left_does_not_count(path):
    index = Index.open(path)
    add(index, 3)
    index.commit()
    whole = journal(path).read_bytes()
    before = everything(index)
    journal(path).write_bytes(whole + b"half a record")
    assert everything(Index.open(path)) == before
    add(index, 1)
    index.commit()
    assert everything(Index.open(path)) == everything(index)
    assert b"half a record" not in journal(path).read_bytes()


def test_damage_to_a_journal_is_always_noticed(path, monkeypatch):
    monkeypatch.setattr("hypertorus.search._journal._TRIES", 2)
    index = Index.open(path)
    add(index, 1)
    index.commit()
    second = journal(path).stat().st_size
    add(index, 1)
    index.commit()
    whole, want = journal(path).read_bytes(), everything(index)
    for at in (*range(80), *range(80, len(whole), 9), *range(second, second + 20)):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << at % 8
        journal(path).write_bytes(damaged)
        with pytest.raises(IndexFileError, match=r"index\.journal is"):
            Index.open(path)
    for size in range(0, len(whole), 19):
        journal(path).write_bytes(whole[:size])
        with pytest.raises(IndexFileError, match=r"index\.journal is"):
            Index.open(path)
    journal(path).write_bytes(whole)
    assert everything(Index.open(path)) == want


def test_a_journal_of_another_file_does_not_count(path):
    index = Index.open(path)
    add(index, 3)
    index.commit()
    left = journal(path).read_bytes()
    add(index, 3)
    index.save(path)
    journal(path).write_bytes(left)  # as after a crash between both steps of a save
    assert everything(Index.open(path)) == everything(index)
    with Index.editing(path) as other:
        add(other, 2)
    assert everything(Index.open(path)) == everything(other)
    assert len(other) == 1008


def test_a_file_of_that_name_that_is_no_journal_is_left_alone(path):
    diary = b"a diary, not a journal" * 9
    journal(path).write_bytes(diary)
    index = Index.open(path)
    add(index, 3)
    with pytest.raises(ValueError, match=r"index\.journal is no journal, but its name is that of one; move it"):
        index.commit()
    index.save(path)
    assert len(Index.open(path)) == 1003
    assert journal(path).read_bytes() == diary


def test_a_thread_does_not_wait_for_itself(path):
    other = Index.open(path)
    add(other, 3)
    with Index.editing(path) as index:
        for change in (other.commit, lambda: other.save(path)):
            with pytest.raises(RuntimeError, match="is locked by this thread itself; leave that block first"):
                change()
        add(index, 1)
        index.save(path)
        add(index, 1)
    assert len(Index.open(path)) == 1002


def test_many_records_are_read_as_one_change(path, monkeypatch):
    index = Index.open(path)
    for one in range(20):
        add(index, 2)
        index.remove([one, 1000 + 2 * one])
        index.commit()
    changed = []
    monkeypatch.setattr(
        Index, "_publish", lambda index, state, _: changed.append(1) or vars(index).update(_state=state)
    )
    opened = Index.open(path)
    assert len(changed) == 2
    assert everything(opened) == everything(index)


def test_a_journal_lies_beside_the_file_and_has_its_mode(path, tmp_path):
    path.chmod(0o600)
    (tmp_path / "link").symlink_to(path)
    with Index.editing(tmp_path / "link") as index:
        add(index, 3)
    assert stat.S_IMODE(journal(path).stat().st_mode) == 0o600
    assert sorted(one.name for one in tmp_path.iterdir()) == ["index", "index.journal", "link"]
    long = tmp_path / ("a" * 255)
    index.save(long)
    add(index, 3)
    index.commit()
    assert everything(Index.open(long)) == everything(index)


def test_readers_see_the_file_and_its_journal_at_one_moment(path, monkeypatch):
    """A writer folds the journal in again and again; no reader misses what was committed before it began."""
    monkeypatch.setattr(_store, "LEAST_TO_FOLD", 200)
    counts = [1000]

    def write():
        for _ in range(60):
            with Index.editing(path) as index:
                add(index, 5)
            counts.append(len(index))

    writer = Thread(target=write)
    writer.start()
    while writer.is_alive():
        at_least = counts[-1]
        assert len(Index.open(path)) >= at_least
    writer.join()
    assert len(Index.open(path)) == counts[-1] == 1300


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_killed_commits(tmp_path):
    command = [sys.executable, HERE / "killed_commits.py", tmp_path, "30"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "60 processes killed" in done.stdout


def test_a_change_of_more_than_ids_is_committed_as_a_whole(path):
    index = Index.open(path)
    add(index, 3)
    index._publish(replace(index._state, version=index._state.version + 1, next_id=2000), None)
    add(index, 3)
    index.commit()
    assert not journal(path).exists()
    assert everything(Index.open(path)) == everything(index)
