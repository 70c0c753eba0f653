"""A `map` over the workers of a Dask cluster, on which shards stay open, and which may come and go."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Self

from hypertorus.files.extras import require
from hypertorus.shards.placement import placed
from hypertorus.shards.questions import Answer, Question
from hypertorus.shards.shard import MissingShard, OpenShard, ShardSource, open_shard

MOST_DEATHS = 5
"""How often Dask may give a shard up, each time after several dead workers, before it is given up here."""

PAUSE = 1
"""Seconds without an answer after which to look whether workers are still there."""

PATIENCE = 30
"""Seconds to wait for the scheduler, and for a first worker."""


MOST_REPEATED = 262_144
"""Bytes, all shards together, up to which a question is sent with each shard that it is asked of. A larger one is sent
once, as a task of its own, which takes as long again as the answer."""


class DaskMap:
    """The workers of a Dask cluster, which search a `ShardedIndex`: `DaskMap(distributed.Client("tcp://host:8786"))`.

    Each shard is opened on one worker, and stays open there. A batch of queries is sent once, and the k nearest of each
    shard come back. If a worker is lost, Dask opens its shards on others and asks them again: the answer is the same.
    Every worker needs hypertorus, and sees the shards under the same path or URL.
    """

    threads = 1
    """Threads of each scan: workers search as many shards at once as they have threads."""

    def __init__(self, client: Any) -> None:
        require("distributed", extra="cluster")
        self.client = client
        self._homes: dict[ShardSource, str] = {}
        self._opened: dict[ShardSource, Any] = {}
        self._last: list[Any] = []  # kept until the next are asked for: after every message a client pauses for 10 ms

    @classmethod
    def connected(cls, scheduler: str) -> Self:
        """Return the workers of the scheduler at an address such as tcp://host:8786."""
        require("distributed", extra="cluster")
        from distributed import Client

        try:
            return cls(Client(scheduler, timeout=PATIENCE, set_as_default=False))
        except (OSError, ValueError) as error:
            raise OSError(
                f"there is no Dask scheduler at {scheduler} ({type(error).__name__}); start one with: dask scheduler"
            ) from error

    def close(self) -> None:
        """Let go of the shards, and of the scheduler; workers stay."""
        self._opened.clear()
        self._last.clear()
        self.client.close()

    def __call__(self, question: Question[Any], shards: Sequence[ShardSource]) -> Iterator[Answer[Any] | MissingShard]:
        """Yield the answer of each shard, as they come."""
        from distributed import as_completed

        deaths: dict[ShardSource, int] = defaultdict(int)
        asked = self._submit(question, shards)
        self._last = list(asked)
        while asked:
            again, options = [], {"loop": self.client.loop, "with_results": True, "raise_errors": False}
            try:
                for future, answer in as_completed(list(asked), **options, timeout=PAUSE):
                    source = asked.pop(future)
                    if future.status == "finished":
                        if isinstance(answer, MissingShard):
                            self._forget(source)  # it may be there the next time
                        yield answer
                        continue
                    self._forget(source)
                    if future.status == "error" and not _is_death(answer):
                        future.result()  # which raises what the worker raised
                    deaths[source] += 1
                    if deaths[source] == MOST_DEATHS:
                        yield source.missing("was given up by Dask, whose workers died of it again and again")
                    else:
                        again.append(source)
            except TimeoutError:
                again += self._stranded(asked)
            asked |= self._submit(question, again)

    def _stranded(self, asked: dict[Any, ShardSource]) -> list[ShardSource]:
        """Take out, to be asked anew, what was to be answered by a worker that is gone.

        Dask itself asks other workers, but not if all were gone at once: then it waits for this very one, for ever.
        """
        workers = self._workers()
        stranded = [future for future, source in asked.items() if self._homes[source] not in workers]
        sources = [asked.pop(future) for future in stranded]
        self.client.cancel([*stranded, *(self._opened[source] for source in sources)])
        for source in sources:
            self._forget(source)
        return sources

    def _submit(self, question: Question[Any], shards: Sequence[ShardSource]) -> dict[Any, ShardSource]:
        """Ask shards, and return which future is whose answer."""
        if not shards:
            return {}
        self._place(shards)
        opened = [self._opened[source] for source in shards]
        sent = question
        if len(pickle.dumps(question)) * len(shards) > MOST_REPEATED:
            # A task, and not scattered data: should the one worker that has it be lost, Dask sends it again.
            sent = self.client.submit(_sent, question, pure=False)
        futures = self.client.map(_answer, opened, question=sent, pure=False)
        return dict(zip(futures, shards, strict=True))

    def _place(self, shards: Sequence[ShardSource]) -> None:
        """Open shards that are not open yet, or whose worker is gone or has too many."""
        homes = placed([*dict.fromkeys([*self._homes, *shards])], self._homes, self._workers())
        for source in shards:
            home = homes[source]
            if source not in self._opened or self._homes.get(source) != home:
                self._opened[source] = self.client.submit(
                    open_shard, source, workers=[home], allow_other_workers=True, pure=False
                )
            self._homes[source] = home

    def _workers(self) -> dict[str, int]:
        workers = self.client.nthreads()
        if not workers:
            address = self.client.scheduler.address
            try:
                self.client.wait_for_workers(1, timeout=PATIENCE)
            except TimeoutError as error:
                raise OSError(
                    f"the scheduler at {address} has no workers; start some with: "
                    f"dask worker {address} --memory-limit 0"
                ) from error
            workers = self.client.nthreads()
        return dict(workers)

    def _forget(self, source: ShardSource) -> None:
        self._opened.pop(source, None)
        self._homes.pop(source, None)


def _sent(question: Question[Any]) -> Question[Any]:
    return question


def _answer(shard: OpenShard | MissingShard, question: Question[Any]) -> Answer[Any] | MissingShard:
    return question.of(shard)


def _is_death(answer: Any) -> bool:
    """Whether a task ended because workers died, and not by an error of its own."""
    from distributed import KilledWorker

    error = answer[1] if isinstance(answer, tuple) else answer
    return isinstance(error, KilledWorker)
