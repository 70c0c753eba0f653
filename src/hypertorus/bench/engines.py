"""Measures engines on the same codes: recall and queries per second at each effort, time to build, bytes."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from hypertorus.bench.data import KINDS, Data
from hypertorus.engines import Engine, engine
from hypertorus.files.progress import Progress
from hypertorus.search import nearest
from hypertorus.search._library import metric_number

K, QUERIES, ROUNDS = 10, 256, 3
SECONDS = 0.05
"""How long a round asks one query at a time for, at least."""
GOOD_ENOUGH = 0.9995
"""The recall beyond which more effort is not tried."""
_COST = {"exact": 1, "exact-cells": 4, "usearch": 30, "faiss-flat": 3, "faiss-ivf": 15, "faiss-hnsw": 15}
"""About how long it takes to build and measure an engine, relative to the others, for the time that is left."""


@dataclass
class Point:
    """What a search finds and how fast, at one effort, which is None for an engine that is exact."""

    effort: int | None
    recall: float
    single: float = 0.0
    """Queries per second, one at a time."""
    batch: float = 0.0
    """Queries per second, all at once."""


@dataclass
class Measured:
    """One engine on one kind of codes."""

    data: str
    engine: str
    build_seconds: float
    """Seconds of processor time, of all threads together."""
    bytes: int
    """Size of the saved engine."""
    points: list[Point] = field(default_factory=list)

    def good(self, recall: float) -> Point:
        """The fastest point with this recall, or the best there is without one."""
        enough = [point for point in self.points if point.recall >= recall]
        return max(enough, key=lambda point: point.batch) if enough else max(self.points, key=lambda p: p.recall)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each effort."""
        facts = asdict(self)
        points = facts.pop("points")
        return [{**facts, **point} for point in points]


@dataclass
class Comparison:
    """Engines on codes of one size, compared by one metric."""

    count: int
    dim: int
    metric: str
    engines: list[Measured]

    @property
    def title(self) -> str:
        return f"{self.count:,} codes of {self.dim} bytes, {self.metric}"

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of_record(cls, path: Path) -> Self:
        """Return what a record in a file holds."""
        try:
            result = json.loads(path.read_bytes())["result"]
            engines = [
                Measured(**{**measured, "points": [Point(**point) for point in measured["points"]]})
                for measured in result.pop("engines")
            ]
            return cls(**result, engines=engines)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ValueError(f"{path} is not a record of engines; make one with: bench engines --json.") from error


def measure(
    names: Iterable[str],
    kinds: Iterable[str] = tuple(KINDS),
    *,
    count: int,
    dim: int,
    metric: str,
    builders: int | None = None,
    progress: Progress = lambda _done, _total: None,
) -> Comparison:
    """Every engine on every kind of codes; the engines of a kind take turns, and the best round of each counts.

    Recall is by distance: the share of the K neighbours found that are no further than the true K-th. One thread
    searches; `builders` threads build, all cores unless given. Seconds are those that the processor works for this
    process, on all its cores together, so that a machine that is busy with other things measures much the same.
    """
    metric_number(metric)
    names, kinds = list(names), list(kinds)
    steps = _Steps(progress, len(kinds) * sum(_COST[name] for name in names))
    results: list[Measured] = []
    for kind in kinds:
        data = KINDS[kind](count, QUERIES, dim)
        farthest = nearest(data.codes, data.queries, K, metric).distances[:, -1:]
        runs = []
        for name in names:
            with steps.of(2 / 3 * _COST[name]) as part:
                runs.append(_built(kind, name, data, metric, builders, part))
        for round_ in range(ROUNDS):
            for built, result in runs:
                with steps.of(1 / 3 * _COST[result.engine] / ROUNDS):
                    _round(built, result, data, farthest, first=round_ == 0)
        results += [result for _, result in runs]
        del runs
        gc.collect()
    return Comparison(count, dim, metric, results)


def _built(
    kind: str, name: str, data: Data, metric: str, builders: int | None, progress: Progress
) -> tuple[Engine, Measured]:
    start = time.process_time()
    built = engine(name).build(data.codes, metric=metric, threads=builders, progress=progress)
    seconds = time.process_time() - start
    with TemporaryDirectory() as folder:
        built.save(Path(folder) / "engine")
        size = sum(file.stat().st_size for file in (Path(folder) / "engine").iterdir())
    return built, Measured(kind, name, seconds, size)


def _round(built: Engine, result: Measured, data: Data, farthest: Any, *, first: bool) -> None:
    """Time each effort once; the first round finds out how far to go, and what recall is there."""
    efforts = (built.efforts or (None,)) if first else [point.effort for point in result.points]
    for number, effort in enumerate(efforts):
        start = time.process_time()
        found = built.search(data.queries, K, effort=effort, threads=1)
        seconds = time.process_time() - start
        if first:
            result.points.append(Point(effort, float((found.distances <= farthest).mean())))
        point = result.points[number]
        point.batch = max(point.batch, len(data.queries) / seconds)
        point.single = max(point.single, _one_by_one(built, data, effort))
        if first and point.recall > GOOD_ENOUGH:
            return


def _one_by_one(built: Engine, data: Data, effort: int | None) -> float:
    start, asked, seconds = time.process_time(), 0, 0.0
    while seconds < SECONDS:
        row = asked % len(data.queries)
        built.search(data.queries[row : row + 1], K, effort=effort, threads=1)
        asked += 1
        seconds = time.process_time() - start
    return asked / seconds


class _Steps:
    """Progress over parts of different length."""

    def __init__(self, progress: Progress, total: float) -> None:
        self.progress, self.total, self.done = progress, total, 0.0

    @contextmanager
    def of(self, weight: float) -> Iterator[Progress]:
        """Count a part of this weight, which may tell how far it is itself."""

        def within(done: int, total: int) -> None:
            self.progress(round(1000 * (self.done + weight * done / total)), round(1000 * self.total))

        within(0, 1)
        yield within
        self.done += weight
