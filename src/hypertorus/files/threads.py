"""Runs work in several threads: the calling thread is one of them and reports progress, and Ctrl-C stops them all."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread

from hypertorus.files.progress import Progress

Step = Callable[[int], None]
Work = Callable[[Step], None]


def thread_count(threads: int | None) -> int:
    """Return the number of threads to use: this number or, for None, one for each core this process may run on."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        number = 0 if isinstance(threads, bool) else operator.index(threads)
    except TypeError:
        number = 0
    if number < 1:
        raise ValueError(f"threads is {threads!r}; it must be a whole number of at least 1, or None for all cores.")
    return number


def share(work: Work, threads: int, total: int, progress: Progress | None) -> None:
    """Run `work` in this and `threads - 1` other threads until all are done.

    `work` takes tasks from a queue that the threads share, and calls `step(amount)` after each task; there it stops
    early if another thread failed or was interrupted. `progress(done, total)` is called in this thread. Where no more
    threads can be started, as at the exit of the interpreter, those that there are do all of the work.
    """
    crew = _Crew(work, threads, total, progress)
    if threads == 1:
        crew.run(0)
        return
    others: list[Thread] = []
    try:
        crew.start(others, threads - 1)
        with suppress(_StoppedError):
            crew.run(0)
        for other in others:
            other.join()
    except BaseException:
        crew.stop.set()
        for other in others:
            other.join()
        raise
    if crew.errors:
        raise crew.errors[0]
    if progress:
        progress(total, total)


class _Crew:
    def __init__(self, work: Work, threads: int, total: int, progress: Progress | None) -> None:
        self.work, self.total, self.progress = work, total, progress
        self.done = [0] * threads
        self.errors: list[BaseException] = []
        self.stop = Event()

    def start(self, threads: list[Thread], count: int) -> None:
        """Start `count` threads, or as many as can be started, and list them."""
        with suppress(RuntimeError):
            for worker in range(1, count + 1):
                thread = Thread(target=self.run_aside, args=(worker,), name=f"hypertorus-{worker}")
                thread.start()
                threads.append(thread)

    def run_aside(self, worker: int) -> None:
        try:
            self.run(worker)
        except _StoppedError:
            return
        except BaseException as error:  # noqa: BLE001 (raised in the thread that asked)
            self.errors.append(error)

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
