"""A map of codes: a layout in the plane in which exact neighbours on the torus lie together.

Each code is tied to its nearest neighbours by springs and pushed away from a few codes at random, as in UMAP (McInnes
and others, 2018), with the kernel 1 / (1 + r^2) and whole epochs at a time. It begins at the two directions in which
the points of the codes spread the most.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from hypertorus.codes.circular_mean import arrows
from hypertorus.files.progress import Progress
from hypertorus.search import Index

NEIGHBOURS = 10
EPOCHS = 120
PUSHES = 5
"""Number of random codes that each code is pushed away from in an epoch."""
PULL = 0.1
"""Strength of a spring against that of a push."""
LARGEST_STEP = 4.0
_AT_ONCE = 2048
_SAMPLE = 4000

Plane = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]


def layout(index: Index, ids: Rows, progress: Progress | None = None, seed: int = 0) -> Plane:
    """Return a place [n, 2] for each of these ids, from 0 to 1 in both directions; the same for the same seed.

    `progress(done, total)` is called with finding neighbours as the first half of the work.
    """
    codes = index.vectors(ids)
    if len(ids) < 3:
        return np.linspace(0.25, 0.75, 2 * len(ids), dtype=np.float32).reshape(-1, 2)
    report = progress or (lambda _done, _total: None)
    sources, targets = _ties(index, ids, codes, lambda done: report(done, 2 * len(ids)))
    x, y = _start(codes, index.bits, seed).T
    rng = np.random.default_rng(seed)
    for epoch in range(EPOCHS):
        pull_x, pull_y = _pulls(x, y, sources, targets)
        push_x, push_y = _pushes(x, y, rng)
        force_x, force_y = pull_x + push_x, pull_y + push_y
        step = (1 - epoch / EPOCHS) / np.maximum(1, np.hypot(force_x, force_y) / LARGEST_STEP)
        x, y = x + step * force_x, y + step * force_y
        report(len(ids) + (epoch + 1) * len(ids) // EPOCHS, 2 * len(ids))
    return _within_square(np.stack([x, y], axis=1))


def _ties(index: Index, ids: Rows, codes: npt.NDArray[np.uint8], report: Callable[[int], None]) -> tuple[Rows, Rows]:
    """Return pairs of rows, each code and its nearest neighbours among these ids."""
    own = Index(index.dim, index.bits, index.metric)
    own.add(codes)
    k = min(NEIGHBOURS + 1, len(ids))
    sources, targets = [], []
    for begin in range(0, len(ids), _AT_ONCE):
        found = own.search(codes[begin : begin + _AT_ONCE], k).ids
        rows = np.repeat(np.arange(begin, begin + len(found)), k)
        other = found.ravel() != rows
        sources.append(rows[other])
        targets.append(found.ravel()[other])
        report(begin + len(found))
    return np.concatenate(sources), np.concatenate(targets)


def _pulls(x: Numbers, y: Numbers, sources: Rows, targets: Rows) -> tuple[Numbers, Numbers]:
    """Return the sum of the springs on each row; a spring pulls at both of its ends."""
    apart_x, apart_y = x[targets] - x[sources], y[targets] - y[sources]
    strength = PULL / (1 + apart_x * apart_x + apart_y * apart_y)

    def summed(pulls: Numbers) -> Numbers:
        both = np.bincount(sources, pulls, len(x)) - np.bincount(targets, pulls, len(x))
        return both.astype(np.float32)

    return summed(strength * apart_x), summed(strength * apart_y)


def _pushes(x: Numbers, y: Numbers, rng: np.random.Generator) -> tuple[Numbers, Numbers]:
    """Return the sum of what pushes each row away from rows at random."""
    push_x, push_y = np.zeros_like(x), np.zeros_like(y)
    for _ in range(PUSHES):
        others = rng.integers(0, len(x), len(x))
        away_x, away_y = x - x[others], y - y[others]
        far = away_x * away_x + away_y * away_y
        strength = 2 / ((0.01 + far) * (1 + far))
        push_x += strength * away_x
        push_y += strength * away_y
    return push_x, push_y


def _start(codes: npt.NDArray[np.uint8], bits: int, seed: int) -> Plane:
    """Return the first two principal directions of the points of codes, about ten wide."""
    sample = np.random.default_rng(seed).choice(len(codes), min(_SAMPLE, len(codes)), replace=False)
    points = _points(codes[sample], bits)
    mean = points.mean(axis=0)
    axes = np.linalg.eigh(np.cov((points - mean).T))[1][:, -2:]
    parts = np.array_split(codes, 1 + len(codes) // _SAMPLE)
    places = np.concatenate([(_points(part, bits) - mean) @ axes for part in parts])
    noise = np.random.default_rng(seed).normal(scale=1e-2, size=places.shape)  # equal codes must not stay on one place
    scaled = 10 * places / max(1e-9, float(np.abs(places).max())) + noise
    return np.asarray(scaled, np.float32)


def _points(codes: npt.NDArray[np.uint8], bits: int) -> npt.NDArray[np.float32]:
    return (arrows(codes, bits).reshape(len(codes), -1) / 2**14).astype(np.float32)


def _within_square(places: Plane) -> Plane:
    """Return places scaled to a square, of which the outermost thousandth is moved onto its edge."""
    low, high = np.quantile(places, [0.001, 0.999], axis=0)
    size = max(1e-9, float((high - low).max()))
    middle = (low + high) / 2
    return np.asarray(np.clip((places - middle) / size * 0.96 + 0.5, 0, 1), np.float32)
