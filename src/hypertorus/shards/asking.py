"""Asks every shard a question, by any `map`, and makes one answer of theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from hypertorus.files.progress import Progress
from hypertorus.shards.questions import Answer, Ids, Question
from hypertorus.shards.shard import MissingShard, ShardSource

Part = TypeVar("Part")
ShardMap = Callable[[Question[Any], Sequence[ShardSource]], Iterable[Any]]
"""What is called as `map(question, shards)` and returns the answers, in any order: the built-in `map` is one."""


def ask(
    question: Question[Part],
    sources: Sequence[ShardSource],
    shard_map: ShardMap,
    *,
    partial: bool = False,
    progress: Progress | None = None,
) -> tuple[Answer[Part], tuple[MissingShard, ...]]:
    """Return the answer of all shards as one, and the shards that are missing from it.

    Answers are merged as they come, so that few are held at once, and it makes no difference in which order. A shard
    that cannot be searched is an error unless the answer may be partial.
    """
    asked = [source for source in sources if _may_have(source, question.ids)]
    merged, waiting, missing = question.nothing(), [], []
    for done, answer in enumerate(shard_map(question, asked), 1):
        if isinstance(answer, MissingShard):
            if not partial:
                raise answer.error()
            missing.append(answer)
        else:
            waiting.append(answer)
        if len(waiting) == _AT_ONCE:
            merged, waiting = question.merged([merged, *waiting]), []
        if progress:
            progress(done, len(asked))
    merged = question.merged([merged, *waiting]) if waiting else merged
    if question.ids is not None and merged.known is not None and not merged.known.all() and not missing:
        unknown = question.ids[~merged.known][0]
        raise ValueError(f"ids holds {unknown}, which is in no shard; pass ids that were added.")
    return merged, tuple(sorted(missing, key=lambda shard: shard.name))


_AT_ONCE = 16


def _may_have(source: ShardSource, ids: Ids | None) -> bool:
    """Whether any of these ids, which ascend, lies in the range of a shard."""
    if ids is None:
        return True
    first, after = np.searchsorted(ids, [source.shard.first_id, source.shard.last_id + 1])
    return bool(first < after)
