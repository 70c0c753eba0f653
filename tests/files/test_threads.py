"""Work that threads share ends when one of them fails, and the failure is the one that is told."""

import threading
import time

import numpy as np
import pytest

from hypertorus.files.threads import share, thread_count


def test_a_failure_in_another_thread_ends_all():
    here = threading.current_thread()

    def work(step):
        if threading.current_thread() is not here:
            raise LookupError("elsewhere")
        for _ in range(2000):
            time.sleep(0.005)
            step(1)

    began = time.monotonic()
    with pytest.raises(LookupError, match="elsewhere"):
        share(work, 3, 10_000, None)
    assert time.monotonic() - began < 5


def test_an_interruption_here_ends_the_others():
    ended = []

    def work(step):
        for _ in range(2000):
            time.sleep(0.005)
            try:
                step(1)
            except Exception:
                ended.append(threading.current_thread())
                raise

    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        share(work, 3, 10_000, interrupt)
    assert len(ended) == 2


def test_progress_is_told_in_the_thread_that_asked():
    told = []
    here = threading.current_thread()

    def work(step):
        for _ in range(5):
            step(1)

    share(work, 4, 20, lambda done, total: told.append((done, total, threading.current_thread() is here)))
    assert told[-1] == (20, 20, True)
    assert all(right for *_, right in told)
    assert [done for done, *_ in told] == sorted(done for done, *_ in told)


def test_all_cores_unless_told_otherwise():
    assert thread_count(None) >= 1
    assert thread_count(3) == 3
    for wrong in (0, -1, 1.5, True, "2"):
        with pytest.raises(ValueError, match="it must be a whole number of at least 1, or None for all cores"):
            thread_count(wrong)


def test_where_no_thread_can_be_started_this_one_does_the_work(monkeypatch):
    def refuse(_):
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    done = []
    share(lambda step: (done.append(threading.current_thread()), step(1)), 4, 1, None)
    assert done == [threading.current_thread()]


def test_numbers_of_numpy_count_threads():
    assert thread_count(np.int64(2)) == 2
