"""Runs work in several processes, which all end with their parent."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
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
        pending = {pool.submit(work, item): item for item in items}
        for future in as_completed(pending):
            yield pending[future], future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in active_children():
            process.terminate()


def _begin(parent: int) -> None:
    import faiss
    import torch

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the parent reports the interrupt
    torch.set_num_threads(1)
    faiss.omp_set_num_threads(1)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)
