"""Runs work in several processes, which all end with their parent."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import active_children, get_context
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
        with _ignoring_interrupts():
            pending = {pool.submit(work, item): item for item in items}
        for future in as_completed(pending):
            yield pending[future], future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in active_children():
            process.terminate()


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Begin processes that ignore Ctrl-C from their first moment on: their parent reports it, and ends them."""
    if threading.current_thread() is not threading.main_thread():  # only that one may change it
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


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
