"""An exhibit: things of one kind, their codes in an index, and the nearest neighbours of some that it has not seen."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.datasets import Data
from hypertorus.models import Model
from hypertorus.search import Index, distances
from hypertorus.training import train

Codes = npt.NDArray[np.uint8]
NEIGHBOURS = 5
"""Number of neighbours that are shown of each."""
TIMES = 9
"""Number of times that each search is timed, one query on one core; the median is shown."""


def trained(data: Data, folder: Path, **settings: Any) -> Model:
    """Return the model of these settings in a folder; one of a tour of another size there is trained anew."""
    try:
        return train(data, folder, **settings, show=False)
    except ValueError:
        return train(data, folder, **settings, show=False, restart=True)


@dataclass(frozen=True)
class Thing:
    """A digit, a sound or a sentence as the page shows it."""

    name: str
    """Path of its file, or the sentence itself."""
    label: str
    """Its class, such as the digit that it is."""
    picture: bytes = b""
    """Its picture as a .png, if there is one."""
    sound: bytes = b""
    """Its sound as a .wav, if there is one."""


@dataclass(frozen=True)
class Answer:
    """A query, its nearest neighbours, how far they are, and the seconds that the search took."""

    query: Thing
    code: Codes
    """Code of the query, [dim]."""
    neighbours: tuple[Thing, ...]
    codes: Codes
    """Codes of the neighbours, [k, dim]."""
    distances: tuple[float, ...]
    """Distances of the neighbours as shares of the largest; random codes have 0.5."""
    seconds: float


@dataclass(frozen=True)
class Exhibit:
    """What was asked of one index."""

    kind: str
    """What the things are: `digits`, `sounds` or `sentences`."""
    count: int
    """Number of codes in the index."""
    right: float
    """Share of all queries whose nearest neighbour has the same label."""
    queries: int
    """Number of all queries."""
    answers: tuple[Answer, ...]
    """Some of the queries with their neighbours."""


def asked(
    kind: str,
    index: Index,
    queries: Sequence[Thing],
    codes: Codes,
    shown: Sequence[int],
    thing: Callable[[int], Thing],
) -> Exhibit:
    """Search the index for each query by its code, and return what was found; `thing` returns that of an id.

    Those of the numbers in `shown` become answers; all of them are counted.
    """
    nearest = index.search(codes, k=1).ids[:, 0]
    hits = [thing(int(number)).label == query.label for number, query in zip(nearest, queries, strict=True)]
    answers = tuple(_answer(index, queries[number], codes[number : number + 1], thing) for number in shown)
    return Exhibit(kind, len(index), float(np.mean(hits)), len(queries), answers)


def _answer(index: Index, query: Thing, code: Codes, thing: Callable[[int], Thing]) -> Answer:
    neighbours, seconds = timed(lambda: index.search(code, k=NEIGHBOURS, threads=1))
    ids = neighbours.ids[0]
    farthest = index.dim * int(distances(np.array([[128]]), np.array([[0]]), index.metric).max())
    shares = tuple(int(distance) / farthest for distance in neighbours.distances[0])
    things = tuple(thing(int(number)) for number in ids)
    return Answer(query, code[0], things, np.asarray(index.vectors(ids)), shares, seconds)


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of some work, and the median of the seconds that it takes once it is warm."""
    result, seconds = work(), []
    for _ in range(TIMES):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return result, median(seconds)
