"""Runs work in several threads: the calling thread is one of them and reports progress, and Ctrl-C stops them all."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from threading import Event

from hypertorus.files.progress import Progress

Step = Callable[[int], None]
Work = Callable[[Step], None]


def thread_count(threads: int | None) -> int:
    """Return the number of threads to use: this number or, for None, one for each core this process may run on."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
        raise ValueError(f"threads is {threads!r}; it must be a whole number of at least 1, or None for all cores.")
    return threads


def share(work: Work, threads: int, total: int, progress: Progress | None) -> None:
    """Run `work` in this and `threads - 1` other threads until all are done.

    `work` takes tasks from a queue that the threads share, and calls `step(amount)` after each task; there it stops
    early if another thread failed or was interrupted. `progress(done, total)` is called in this thread.
    """
    crew = _Crew(work, threads, total, progress)
    if threads == 1:
        crew.run(0)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads - 1) as pool:
        others = [pool.submit(crew.run, worker) for worker in range(1, threads)]
        try:
            with suppress(_StoppedError):
                crew.run(0)
            errors = [other.exception() for other in others]
        except BaseException:
            crew.stop.set()
            raise
    for error in errors:
        if error is not None and not isinstance(error, _StoppedError):
            raise error
    if progress:
        progress(total, total)


class _Crew:
    def __init__(self, work: Work, threads: int, total: int, progress: Progress | None) -> None:
        self.work, self.total, self.progress = work, total, progress
        self.done = [0] * threads
        self.stop = Event()

    def run(self, worker: int) -> None:
        def step(amount: int) -> None:
            self.done[worker] += amount
            if self.stop.is_set():
                raise _StoppedError
            if worker == 0 and self.progress:
                self.progress(sum(self.done), self.total)

        try:
            self.work(step)
        except BaseException:
            self.stop.set()
            raise


class _StoppedError(Exception):
    """Stops a thread because another one failed, whose error is reported."""
