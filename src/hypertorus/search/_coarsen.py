"""Gives codes a coarse part, and measures on some of them what it is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hypertorus.files.progress import Progress
from hypertorus.search._coarse import MEASURED_K, Coarse, CoarseFacts
from hypertorus.search._heaps import Heaps
from hypertorus.search._passes import TwoPasses
from hypertorus.search._segment import Segment

_TYPICAL = 128
_AT_ONCE = 2**16
_MOST_OF = 8  # codes, of which reranking more than one is no gain over looking at all


def coarsened(
    segments: Sequence[Segment], facts: CoarseFacts, metric: int, progress: Progress | None = None
) -> tuple[tuple[Segment, ...], CoarseFacts]:
    """These segments with a coarse part each, and what it is worth."""
    total, done, parts = sum(segment.count for segment in segments), 0, []
    for segment in segments:
        coarse = Coarse.empty(facts, len(segment.ids))
        for begin in range(0, segment.count, _AT_ONCE):
            positions = np.arange(begin, min(segment.count, begin + _AT_ONCE))
            coarse.put(segment.shape, begin, segment.rows(positions))
            done += len(positions)
            if progress:
                progress(done, total)
        parts.append(replace(segment, coarse=coarse))
    worth = _measured(parts, facts, metric)
    return tuple(replace(part, coarse=Coarse(worth, part.coarse.strips)) for part in parts if part.coarse), worth


def _measured(segments: Sequence[Segment], facts: CoarseFacts, metric: int) -> CoarseFacts:
    """Search for some of the codes: each finds itself, so that the neighbours next to it are what counts."""
    live, k = sum(segment.live for segment in segments), MEASURED_K + 1
    if live <= k:
        return facts
    rng, most = np.random.default_rng(0), max(segments, key=lambda segment: segment.live)
    positions = most.positions()
    chosen = np.sort(rng.choice(len(positions), min(len(positions), _TYPICAL), replace=False))
    queries, search = most.rows(positions[chosen]), TwoPasses(segments, metric)
    exact = Heaps.empty(len(queries), k)
    _, looked_at = search.offer(queries, exact)
    farthest = exact.neighbours(k).distances[:, -1:]
    recalls: list[float] = []
    while 2 ** len(recalls) * k * _MOST_OF < live and (not recalls or recalls[-1] < 1):
        heaps = Heaps.empty(len(queries), k)
        search.offer(queries, heaps, 2 ** len(recalls) * k)
        recalls.append(float((heaps.neighbours(k).distances[:, 1:] <= farthest).mean()))
    return replace(facts, share=min(1.0, looked_at / len(queries) / live), recalls=tuple(recalls))
