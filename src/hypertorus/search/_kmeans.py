"""k-means on the circles: centres of codes, which are codes themselves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hypertorus.files.progress import Progress
from hypertorus.search._library import METRICS
from hypertorus.search._rows import Shape
from hypertorus.search._scan import Scan
from hypertorus.search._segment import Segment, stored

Rows = npt.NDArray[np.uint8]
Ids = npt.NDArray[np.int64]

ROUNDS = 6


def kmeans(
    rows: Rows,
    count: int,
    shape: Shape,
    rng: np.random.Generator,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Rows:
    """Centres [count, width] of packed rows [n, width], n at least `count`."""
    centres = rows[rng.choice(len(rows), count, replace=False)]
    for done in range(ROUNDS):
        centres = _means(rows, nearest_centres(rows, stored(centres, shape), threads), centres, shape, rng)
        if progress:
            progress(done + 1, ROUNDS)
    return centres


def nearest_centres(rows: Rows, centres: Segment, threads: int | None = None) -> Ids:
    """The number of the centre nearest to each row, by l1: it is the fastest, and for other metrics as good."""
    ids = Scan(centres.shape, METRICS["l1"], (centres,)).nearest(rows, 1, threads).ids
    return np.ascontiguousarray(ids[:, 0])


def _means(rows: Rows, nearest: Ids, centres: Rows, shape: Shape, rng: np.random.Generator) -> Rows:
    """The circular mean of the rows of each centre, coordinate by coordinate; a centre without rows moves to one."""
    order = np.argsort(nearest, kind="stable")
    filled, begins = np.unique(nearest[order], return_index=True)
    period = 2**shape.bits
    angles = np.arange(period, dtype=np.float32) * np.float32(2 * np.pi / period)
    codes = shape.unpacked(rows[order])
    cosines = np.add.reduceat(np.cos(angles)[codes], begins, axis=0)
    sines = np.add.reduceat(np.sin(angles)[codes], begins, axis=0)
    turns = np.arctan2(sines, cosines) / (2 * np.pi)
    moved = rows[rng.choice(len(rows), len(centres), replace=False)]
    moved[filled] = shape.packed(np.round(turns * period).astype(np.int64) % period, "centres")
    return moved
