"""Runs work in several processes, which all end with their parent."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import active_children, get_context, resource_tracker
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def spread(work: Callable[[Item], Result], items: Sequence[Item], processes: int) -> Iterator[tuple[Item, Result]]:
    """Yield each item with the result of `work`, as they finish; each of several processes uses one thread."""
    processes = min(processes, len(items))
    if processes <= 1:
        for item in items:
            yield item, work(item)
        return
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _begin, (os.getpid(),))
    try:
        with _deaf_to_interrupts():
            pending = {pool.submit(work, item): item for item in items}
        for future in as_completed(pending):
            yield pending[future], future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in active_children():
            process.terminate()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Let processes begin that never hear of Ctrl-C: their parent does, a moment later, and ends them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # it lets interrupts through again when it begins
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(parent: int) -> None:
    import faiss
    import torch

    torch.set_num_threads(1)
    faiss.omp_set_num_threads(1)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)
