"""Saving an index: whatever happens, its path holds the old file or the new one, and nothing is left beside it."""

import os
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from hypertorus.search import Index
from tests.search.examples import example, same

HERE = Path(__file__).parent


def test_a_save_that_fails_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "index"
    example(seed=1).save(path)
    before = path.read_bytes()

    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        example(seed=2).save(path, progress=interrupt)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "far" / "index")
    index = example()
    index.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    same(Index.open(tmp_path / "far" / "index"), index)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["far", "index", "link"]


def test_what_a_killed_save_left_is_swept_away_when_it_is_old(tmp_path):
    path = tmp_path / "index[1]"
    old, new, other = (
        tmp_path / f".{name}.partial" for name in ("index[1].0123abcd", "index[1].4567abcd", "index1.0123abcd")
    )
    for leftover in (old, new, other):
        leftover.write_bytes(b"half")
    for leftover in (old, other):
        os.utime(leftover, (time.time() - 4000,) * 2)
    example().save(path)
    assert sorted(tmp_path.iterdir()) == sorted([path, new, other])


def test_two_saves_at_once_do_not_meet(tmp_path):
    indexes = [example(n=3000 * seed, seed=seed) for seed in (1, 2)]

    def save_often(index):
        for _ in range(10):
            index.save(tmp_path / "index")

    threads = [Thread(target=save_often, args=(index,)) for index in indexes]
    indexes[0].save(tmp_path / "index")
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        opened = Index.open(tmp_path / "index")
        assert opened.ids.tolist() in [index.ids.tolist() for index in indexes]
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_killed_save_leaves_the_file_whole(tmp_path):
    command = [sys.executable, HERE / "killed_saves.py", tmp_path, "60"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "60 processes killed" in done.stdout
