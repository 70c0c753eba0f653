"""A `map` over processes of this machine, which keep their shards open and are replaced when they die."""

from __future__ import annotations

import signal
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Self

from hypertorus.files.threads import thread_count
from hypertorus.search._asked import check_count
from hypertorus.shards.shard import ShardSource

MOST_DEATHS = 5
"""How many workers may die of a shard, one after the other, before it is given up."""

Asked = Callable[[ShardSource], Any]


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
        self._workers: list[_Worker | None] = [None] * count

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers that are there; they are started when they are first needed."""
        return [int(worker.process.pid or 0) for worker in self._workers if worker is not None]

    def __call__(self, question: Asked, shards: Sequence[ShardSource]) -> Iterator[Any]:
        """Yield the answer of each shard, as they come."""
        queues: dict[int, deque[ShardSource]] = defaultdict(deque)
        for source in shards:
            queues[source.number % len(self._workers)].append(source)
        deaths: dict[ShardSource, int] = defaultdict(int)
        running = {self._ask(slot, question, queue[0]): slot for slot, queue in queues.items()}
        try:
            while running:
                ready = wait(list(running))
                for pipe in [pipe for pipe in running if pipe in ready]:
                    slot = running.pop(pipe)
                    source = queues[slot][0]
                    try:
                        answer, error = pipe.recv()
                    except (EOFError, OSError):
                        self._end(slot)
                        deaths[source] += 1
                        answer = source.missing(f"was searched by {MOST_DEATHS} processes, and all of them died")
                    else:
                        deaths[source] = MOST_DEATHS
                        if error is not None:
                            raise error
                    if deaths[source] == MOST_DEATHS:
                        queues[slot].popleft()
                        yield answer
                    if queues[slot]:
                        running[self._ask(slot, question, queues[slot][0])] = slot
        finally:
            for slot in running.values():  # whose answers nobody waits for any more
                self._end(slot)

    def close(self) -> None:
        """End the processes, also those that are in the middle of a search."""
        for slot in range(len(self._workers)):
            self._end(slot)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _ask(self, slot: int, question: Asked, source: ShardSource) -> Connection:
        worker = self._workers[slot]
        if worker is None:
            worker = self._workers[slot] = _Worker()
        worker.ask(question, source)
        return worker.pipe

    def _end(self, slot: int) -> None:
        worker, self._workers[slot] = self._workers[slot], None
        if worker is not None:
            worker.end()


class _Worker:
    """A process, and the pipe by which it is asked."""

    def __init__(self) -> None:
        context = get_context("spawn")  # a fork would inherit the locks of our threads
        self.pipe, other_end = context.Pipe()
        self.process = context.Process(target=_work, args=(other_end,), daemon=True, name="hypertorus-shards")
        self.process.start()
        other_end.close()  # so that the pipe ends when the process does

    def ask(self, question: Asked, source: ShardSource) -> None:
        try:
            self.pipe.send((question, source))
        except OSError:  # it is dead, and whoever waits for its answer finds out
            return

    def end(self) -> None:
        self.pipe.close()
        self.process.kill()
        self.process.join()


def _work(pipe: Connection) -> None:
    """Answer questions until the other end of the pipe is closed; Ctrl-C is left to the process there."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            question, source = pipe.recv()
        except EOFError:
            return
        try:
            answer: tuple[Any, Exception | None] = question(source), None
        except Exception as error:  # noqa: BLE001 (raised in the process that asked)
            answer = None, error
        try:
            pipe.send(answer)
        except OSError:
            return
