"""A lock of a file keeps others out until its holder is done or dead, and leaves no file behind."""

import os
import signal
import subprocess
import sys
import time
from threading import Event, Thread

import pytest

from hypertorus.files.lock import FileLock


def hold(path, entered, leave):
    with FileLock(path):
        entered.set()
        assert leave.wait(10)


def test_one_at_a_time(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"content")
    events = [(Event(), Event()) for _ in range(2)]
    threads = [Thread(target=hold, args=(path, *pair)) for pair in events]
    threads[0].start()
    assert events[0][0].wait(10)
    threads[1].start()
    assert not events[1][0].wait(0.1)
    events[0][1].set()
    assert events[1][0].wait(10)
    events[1][1].set()
    for thread in threads:
        thread.join()
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"content"


def test_the_lock_is_that_of_the_file_that_has_the_name(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    pair = Event(), Event()
    with FileLock(path) as lock:
        waiting = Thread(target=hold, args=(path, *pair))
        waiting.start()
        time.sleep(0.05)
        (tmp_path / "new").write_bytes(b"new")
        (tmp_path / "new").replace(path)
        assert not lock.is_of(path)
        newer = FileLock(path).__enter__()
    assert not pair[0].wait(0.1)  # the lock of the old file is free, but that file has no name any more
    newer.__exit__(None, None, None)
    assert pair[0].wait(10)
    pair[1].set()
    waiting.join()


def test_a_killed_holder_leaves_no_lock(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"")
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom hypertorus.files.lock import FileLock\n"
        "with FileLock(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE) as child:
        assert child.stdout.readline() == b"held\n"
        os.kill(child.pid, signal.SIGKILL)
    with FileLock(path) as lock:
        assert lock.is_of(path)


def test_one_that_does_not_wait_is_told_at_once(tmp_path):
    path, entered, leave = tmp_path / "lock", Event(), Event()
    path.touch()
    thread = Thread(target=hold, args=(path, entered, leave))
    thread.start()
    assert entered.wait(10)
    with pytest.raises(BlockingIOError), FileLock(path, wait=False):
        pass
    leave.set()
    thread.join()
    path.unlink()
    with FileLock(path, wait=False, create=True) as lock:
        assert lock.is_of(path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_that_outlives_a_killed_holder_holds_nothing(tmp_path):
    path = tmp_path / "file"
    path.touch()
    code = (
        "import os, sys, time\nfrom pathlib import Path\nfrom hypertorus.files.lock import FileLock\n"
        "with FileLock(Path(sys.argv[1])):\n    if not os.fork(): print(os.getpid(), flush=True)\n"
        "    time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE) as holder:
        fork = int(holder.stdout.readline())
        holder.kill()
    try:
        with FileLock(path, wait=False) as lock:
            assert lock.is_of(path)
    finally:
        os.kill(fork, signal.SIGKILL)
