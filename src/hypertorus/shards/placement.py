"""Which worker holds which shard: each as many as it has threads for, and no shard moves without need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)


def placed(shards: Sequence[Item], before: Mapping[Item, str], workers: Mapping[str, int]) -> dict[Item, str]:
    """Return the worker of each shard, given where shards have been and how many threads each worker has.

    A shard stays where it is if its worker is there and holds no more than its share; the others go to the workers
    that have the most room.

    >>> placed("abcd", {}, {"one": 1, "two": 1})
    {'a': 'one', 'b': 'two', 'c': 'one', 'd': 'two'}
    >>> placed("abcd", {"a": "one", "b": "two", "c": "one", "d": "two"}, {"two": 1, "three": 1})
    {'b': 'two', 'd': 'two', 'a': 'three', 'c': 'three'}
    """
    threads = sum(workers.values())
    share = {worker: -(-len(shards) * count // threads) for worker, count in workers.items()}
    held: Counter[str] = Counter()
    homes: dict[Item, str] = {}
    for shard in shards:
        worker = before.get(shard)
        if worker is not None and held[worker] < share.get(worker, 0):
            homes[shard] = worker
            held[worker] += 1
    for shard in shards:
        if shard not in homes:
            worker = min(workers, key=lambda name: (held[name] / workers[name], name))
            homes[shard] = worker
            held[worker] += 1
    return homes
