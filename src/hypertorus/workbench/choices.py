"""Chooses what to ask next: the best, those nearest to the boundary, random ones, or some of a band of scores."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.search import Index
from hypertorus.workbench.classifier import Scores
from hypertorus.workbench.items import Items, Rows

WAYS = ("best", "boundary", "random", "band")


class Choice(NamedTuple):
    """A row to show, and the rows that it stands for besides itself, in the same order."""

    row: int
    folded: tuple[int, ...] = ()


def choose(
    scores: Scores,
    items: Items,
    way: str = "best",
    count: int = 10,
    *,
    boundary: int = 0,
    band: tuple[int, int] | None = None,
    leave_out: Rows | None = None,
    one_per_recording: bool = False,
    no_duplicates: Index | None = None,
) -> list[Choice]:
    """Return up to `count` rows to ask about next.

    `best` has the highest scores first, and `boundary` those nearest to `boundary`. `random` is a random order that
    stays the same, and `band` is that order among scores from `band[0]` to below `band[1]`, which narrows the other
    ways, too. Rows in `leave_out`, such as those that were answered, are not chosen. With `one_per_recording`, rows of
    a recording are folded into the first one; with `no_duplicates`, the index, so are rows with the same code.

    >>> index = Index(dim=1)
    >>> _ = index.add(np.array([[1], [2], [2], [3]]), names=["7_1.ogg", "8_1.ogg", "9_1.ogg", "7_2.ogg"])
    >>> items, scores = Items.of(index), np.array([10, 40, 40, 30], np.int32)
    >>> [choice.row for choice in choose(scores, items, "best", 2)]
    [1, 2]
    >>> choose(scores, items, "best", 3, one_per_recording=True, no_duplicates=index)
    [Choice(row=1, folded=(2,)), Choice(row=3, folded=(0,))]
    >>> [choice.row for choice in choose(scores, items, "boundary", 1, boundary=12)]
    [0]
    """
    if way not in WAYS:
        raise ValueError(f"way is {way!r}; choose one of {', '.join(WAYS)}.")
    if way == "band" and band is None:
        raise ValueError("way is 'band', but no band was given; pass its lowest score and the one behind its highest.")
    allowed = np.ones(len(scores), bool)
    if leave_out is not None:
        allowed[leave_out[leave_out >= 0]] = False
    if band is not None:
        allowed &= (scores >= band[0]) & (scores < band[1])
    among = np.flatnonzero(allowed)
    if way == "best":
        cost: npt.NDArray[np.int64] | npt.NDArray[np.uint64] = -scores[among].astype(np.int64)
    elif way == "boundary":
        cost = np.abs(scores[among].astype(np.int64) - boundary)
    else:
        cost = items.ranks[among]
    ordered = _ordered(among, cost, count)
    if not one_per_recording and no_duplicates is None:
        return [Choice(row) for row in islice(ordered, count)]
    return _folded(ordered, items.recordings if one_per_recording else None, items, no_duplicates, count)


def _ordered(among: Rows, cost: npt.NDArray[np.int64] | npt.NDArray[np.uint64], count: int) -> Iterator[int]:
    """Yield rows by cost, of equals the first; few are sorted as long as few are wanted."""
    few = max(1024, 16 * count)
    if len(among) > few:
        limit = np.partition(cost, few)[few]
        first = np.flatnonzero(cost < limit)
        yield from among[first[np.argsort(cost[first], kind="stable")]].tolist()
        among, cost = among[cost >= limit], cost[cost >= limit]
    yield from among[np.argsort(cost, kind="stable")].tolist()


def _folded(
    rows: Iterator[int], recordings: Rows | None, items: Items, index: Index | None, count: int
) -> list[Choice]:
    firsts: dict[object, int] = {}
    shown: dict[int, list[int]] = {}
    for looked_at, (row, code) in enumerate(_with_codes(rows, items, index)):
        if looked_at >= _FARTHEST and len(shown) >= count:
            break
        traits: list[object] = [] if recordings is None else [int(recordings[row])]
        if code is not None:
            traits.append(code)
        known = next((firsts[trait] for trait in traits if trait in firsts), None)
        if known is None and len(shown) >= count:
            continue
        into = row if known is None else known
        shown.setdefault(into, []).append(row)
        for trait in traits:
            firsts.setdefault(trait, into)
    return [Choice(row, tuple(rest[1:])) for row, rest in shown.items()]


def _with_codes(rows: Iterator[int], items: Items, index: Index | None) -> Iterator[tuple[int, bytes | None]]:
    """Yield each row with its code, if codes are to be compared."""
    while some := list(islice(rows, _AT_ONCE)):
        codes = [None] * len(some) if index is None else [code.tobytes() for code in index.vectors(items.ids[some])]
        yield from zip(some, codes, strict=True)


_AT_ONCE = 256
_FARTHEST = 2000
"""How far down the order folded rows are listed."""
