"""A `map` over processes of this machine, which keep their shards open and are replaced when they die."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType
from typing import Any, Self

from hypertorus.files.threads import thread_count
from hypertorus.search._asked import check_count
from hypertorus.shards.shard import ShardSource

MOST_DEATHS = 5
"""How many workers may die of a shard, one after the other, before it is given up."""


class ProcessMap:
    """Processes of this machine that search a `ShardedIndex`, each some of its shards, which stay open there.

    They end with the `with` block, with `close`, and with the process that made them, however that ends. One that dies
    is replaced and asked again. As always where Python begins processes, a script does this within
    `if __name__ == "__main__":`.

    >>> with ProcessMap(2) as processes:  # and then ShardedIndex.open("owls", processes).search(queries)
    ...     processes.threads >= 1
    True
    """

    def __init__(self, workers: int | None = None) -> None:
        count = thread_count(None) if workers is None else check_count(workers, "workers")
        self.threads = max(1, thread_count(None) // count)
        """Threads of each scan: as many as there are cores, shared by the processes."""
        self._pools: list[ProcessPoolExecutor | None] = [None] * count

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers that are there; they are started when they are first needed."""
        return [pid for pool in self._pools if pool is not None for pid in _processes(pool)]

    def __call__(self, question: Callable[[ShardSource], Any], shards: Sequence[ShardSource]) -> Iterator[Any]:
        """Yield the answer of each shard, as they come."""
        queues: dict[int, deque[ShardSource]] = defaultdict(deque)
        for source in shards:
            queues[source.number % len(self._pools)].append(source)
        deaths: dict[ShardSource, int] = defaultdict(int)
        running = {self._submit(slot, question, queue[0]): slot for slot, queue in queues.items()}
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                slot = running.pop(future)
                source = queues[slot][0]
                if isinstance(future.exception(), BrokenProcessPool):
                    self._end(slot)
                    deaths[source] += 1
                if not isinstance(future.exception(), BrokenProcessPool):
                    queues[slot].popleft()
                    yield future.result()
                elif deaths[source] == MOST_DEATHS:
                    queues[slot].popleft()
                    yield source.missing(f"was searched by {MOST_DEATHS} processes, and all of them died")
                if queues[slot]:
                    running[self._submit(slot, question, queues[slot][0])] = slot

    def close(self) -> None:
        """End the processes, also those that are in the middle of a search."""
        for slot in range(len(self._pools)):
            self._end(slot)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _submit(self, slot: int, question: Callable[[ShardSource], Any], source: ShardSource) -> Future[Any]:
        pool = self._pools[slot]
        if pool is None:
            context = multiprocessing.get_context("spawn")  # a fork would inherit the locks of our threads
            pool = self._pools[slot] = ProcessPoolExecutor(1, mp_context=context, initializer=_begin)
        try:
            return pool.submit(question, source)
        except BrokenProcessPool as error:  # it died while it had nothing to do
            failed: Future[Any] = Future()
            failed.set_exception(error)
            return failed

    def _end(self, slot: int) -> None:
        pool, self._pools[slot] = self._pools[slot], None
        if pool is not None:
            for process in _processes(pool).values():
                process.terminate()
            pool.shutdown(wait=True, cancel_futures=True)


def _processes(pool: ProcessPoolExecutor) -> dict[int, Any]:
    return dict(getattr(pool, "_processes", None) or {})


def _begin() -> None:
    """Leave Ctrl-C to the process that began this one, and end when that one has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
