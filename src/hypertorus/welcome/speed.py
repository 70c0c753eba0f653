"""Speed of this machine: exact searches among many digits, with codes of each depth and by other libraries."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.datasets.digits import read_digits
from hypertorus.files.progress import Progress
from hypertorus.models import Model
from hypertorus.search import Index
from hypertorus.spaces import Torus
from hypertorus.welcome.exhibit import Codes

COUNT, QUERIES, K = 100_000, 256, 10
NOISE = 0.12
"""Standard deviation of the noise on pixels from 0 to 1, which makes many different digits of the 1,797."""
DEPTHS = (8, 4, 2, 1)
ROUNDS, SECONDS = 3, 0.15
"""Number of rounds, of which the best counts, and how long each asks one query after another, unless said otherwise."""
NUMPY, FAISS = "numpy", "faiss"

Numbers = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Speed:
    """How many queries a second one core answers exactly, asked one after another."""

    name: str
    """`8 bits` and so on for codes of this library, or the name of another one."""
    bytes: int
    """Bytes of each vector that is searched."""
    plain: float
    """Queries a second."""
    arranged: float | None = None
    """The same when the codes are arranged in cells; None for other libraries."""
    right: float = 0.0
    """Share of the queries whose nearest neighbour is the right digit."""


def speeds(model: Model, count: int = COUNT, seconds: float = SECONDS, progress: Progress | None = None) -> list[Speed]:
    """Measure this library at each depth, numpy, and faiss if it is installed, on noisy digits encoded by the model.

    Seconds are those of the processor, summed over its cores, so that a library with many threads has no advantage and
    a busy machine measures much the same.
    """
    torus = model.space
    assert isinstance(torus, Torus)
    data, rng = read_digits(), np.random.default_rng(0)
    codes, labels = _noisy(model, data.train, count, rng)
    queries, wanted = _noisy(model, data.test, QUERIES, rng)
    peers = (NUMPY, *([FAISS] if find_spec("faiss") else []))
    measured, total = [], len(DEPTHS) + len(peers)
    for bits in DEPTHS:
        own, asked_for = (np.asarray(each >> (8 - bits), np.uint8) for each in (codes, queries))
        measured.append(_own(own, asked_for, bits, labels, wanted, seconds))
        if progress:
            progress(len(measured), total)
    points, asked = (np.asarray(torus.point(each / 256.0), np.float32) for each in (codes, queries))
    for name in peers:
        search = (_by_numpy if name == NUMPY else _by_faiss)(points, asked)
        nearest = np.array([search(row)[0] for row in range(len(asked))])
        right = float((labels[nearest] == wanted).mean())
        measured.append(Speed(name, points.shape[1] * points.itemsize, _rate(search, seconds), right=right))
        if progress:
            progress(len(measured), total)
    return measured


def _noisy(model: Model, part: Any, count: int, rng: np.random.Generator) -> tuple[Codes, npt.NDArray[np.int64]]:
    """Return codes of `count` digits, each drawn at random with noise of its own, and their classes."""
    images = part.inputs.numpy().repeat(model.shape[0], axis=1).astype(np.float32) / 255
    drawn = rng.integers(0, len(images), count)
    pieces = []
    for begin in range(0, count, 10_000):
        rows = images[drawn[begin : begin + 10_000]]
        noise = NOISE * rng.standard_normal((len(rows), 1, *rows.shape[2:]), np.float32)
        pieces.append(model.encode(np.clip(rows + noise, 0, 1)))
    return np.concatenate(pieces), part.labels.numpy()[drawn]


def _own(codes: Codes, queries: Codes, bits: int, labels: Any, wanted: Any, seconds: float) -> Speed:
    index = Index(codes.shape[1], bits)
    index.add(codes)

    def search(row: int) -> Any:
        return index.search(queries[row : row + 1], k=K, threads=1)

    plain = _rate(search, seconds)
    right = float((labels[index.search(queries, k=1).ids[:, 0]] == wanted).mean())
    index.arrange()
    name = f"{bits} bit{'s' * (bits > 1)}"
    return Speed(name, codes.shape[1] * bits // 8, plain, _rate(search, seconds), right)


def _by_numpy(points: Numbers, queries: Numbers) -> Callable[[int], Any]:
    """Return the search as one would write it: all cosines in one product, then the ten largest."""

    def search(row: int) -> Any:
        cosines = points @ queries[row]
        largest = np.argpartition(cosines, -K)[-K:]
        return largest[np.argsort(-cosines[largest])]

    return search


def _by_faiss(points: Numbers, queries: Numbers) -> Callable[[int], Any]:
    import faiss

    index = faiss.IndexFlatIP(points.shape[1])
    index.add(points)
    return lambda row: index.search(queries[row : row + 1], K)[1][0]


def _rate(search: Callable[[int], Any], seconds: float) -> float:
    """Return how many queries a second of the processor are answered, one after another."""
    best = 0.0
    for _ in range(ROUNDS):
        begin, asked, taken = time.process_time(), 0, 0.0
        while taken < seconds:
            search(asked % QUERIES)
            asked += 1
            taken = time.process_time() - begin
        best = max(best, asked / taken)
    return best
