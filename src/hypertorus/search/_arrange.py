"""Arranges codes in cells: every code beside those of its cell, by its radius."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hypertorus.files.progress import Progress
from hypertorus.search._cells import SAMPLED, Cells
from hypertorus.search._kmeans import kmeans, nearest_centres
from hypertorus.search._library import METRICS, call
from hypertorus.search._lookup import Lookup
from hypertorus.search._rows import Shape
from hypertorus.search._scan import Scan
from hypertorus.search._segment import Segment, stored

Rows = npt.NDArray[np.uint8]
Ids = npt.NDArray[np.int64]

_CELLS = 2  # times the square root: more cells leave less to look at, but have to be compared themselves
_SAMPLE = 32  # codes a cell from which centres are found
_FEW_CENTRES = 256
_AT_ONCE = 2**16


def arranged(
    segments: Sequence[Segment],
    metric: int,
    cells: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Segment:
    """One segment with the codes of all of these in cells, by default twice the square root of their number."""
    codes, rng = _Codes(segments), np.random.default_rng(0)
    report = _Report(progress, len(codes))
    report(0, 0, 1)
    centres = _centres(codes, min(len(codes), cells or max(1, round(_CELLS * len(codes) ** 0.5))), rng, threads, report)
    cell, radii = _assigned(codes, centres, metric, threads, report)
    order = np.lexsort((radii, cell))
    return _measured(_laid_out(codes, centres, cell[order], radii[order], order, report), metric, rng, threads)


class _Codes:
    """The codes that count of several segments, numbered in the order in which they were added."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.segments = segments
        self.shape: Shape = segments[0].shape
        self._positions = [segment.positions() for segment in segments]
        self._begins = np.cumsum([0, *map(len, self._positions)])

    def __len__(self) -> int:
        return int(self._begins[-1])

    def rows(self, numbers: Ids) -> Rows:
        rows = np.empty((len(numbers), self.shape.width), np.uint8)
        for segment, places, positions in self._parts(numbers):
            rows[places] = segment.rows(positions)
        return rows

    def ids(self, numbers: Ids) -> Ids:
        ids = np.empty(len(numbers), np.int64)
        for segment, places, positions in self._parts(numbers):
            ids[places] = segment.ids[positions]
        return ids

    def labels(self, numbers: Ids) -> Ids | None:
        labels = np.empty(len(numbers), np.int64)
        for segment, places, positions in self._parts(numbers):
            if segment.labels is None:
                return None
            labels[places] = segment.labels[positions]
        return labels

    def names(self, numbers: Ids) -> list[str] | None:
        names = [""] * len(numbers)
        for segment, places, positions in self._parts(numbers):
            if segment.names is None:
                return None
            for place, name in zip(places.tolist(), segment.names.at(positions), strict=True):
                names[place] = name
        return names

    def _parts(self, numbers: Ids) -> Iterator[tuple[Segment, Ids, Ids]]:
        owner = np.searchsorted(self._begins, numbers, side="right") - 1
        for i, segment in enumerate(self.segments):
            places = np.flatnonzero(owner == i)
            yield segment, places, self._positions[i][numbers[places] - self._begins[i]]


class _Report:
    """Progress through three stages: centres are found, codes are assigned, codes are laid out."""

    def __init__(self, progress: Progress | None, count: int) -> None:
        self.progress, self.count = progress, count

    def __call__(self, stage: float, done: int, total: int) -> None:
        if self.progress:
            self.progress(round((stage + done / total) / 3 * self.count), self.count)


def _centres(codes: _Codes, count: int, rng: np.random.Generator, threads: int | None, report: _Report) -> Segment:
    """Centres that are numbered so that those near each other have numbers near each other."""
    sample = codes.rows(np.sort(rng.choice(len(codes), min(len(codes), _SAMPLE * count), replace=False)))
    centres = kmeans(sample, count, codes.shape, rng, threads, lambda done, total: report(0, done, total))
    segment = stored(centres, codes.shape)
    if count < _FEW_CENTRES:
        return segment
    # Centres in cells of their own lie side by side, and the nearest of them is found by looking at few.
    segment = arranged((segment,), METRICS["l1"], threads=threads)
    return replace(segment, ids=np.arange(segment.count), lookup=Lookup())


def _assigned(
    codes: _Codes, centres: Segment, metric: int, threads: int | None, report: _Report
) -> tuple[Ids, npt.NDArray[np.uint32]]:
    """The cell of each code, and its radius there."""
    shape, rows_of_centres = codes.shape, centres.rows(np.arange(centres.count))
    cell, radii = np.empty(len(codes), np.int64), np.empty(len(codes), np.uint32)
    for begin in range(0, len(codes), _AT_ONCE):
        end = min(len(codes), begin + _AT_ONCE)
        rows = codes.rows(np.arange(begin, end))
        cell[begin:end] = nearest_centres(rows, centres, threads)
        call(
            "ht_radii",
            *(rows, len(rows), rows_of_centres, centres.count, cell[begin:end]),
            *(shape.dim, shape.bits, metric, radii[begin:end]),
        )
        report(1, end, len(codes))
    return cell, radii


def _laid_out(
    codes: _Codes, centres: Segment, cell: Ids, radii: npt.NDArray[np.uint32], order: Ids, report: _Report
) -> Segment:
    """The codes in this order, which is by cell and radius; cells without codes are left out."""
    count = len(order)
    labels, names = codes.labels(order), codes.names(order)
    coarse = None if codes.segments[0].coarse is None else codes.segments[0].coarse.facts
    segment = Segment.empty(codes.shape, count, labelled=labels is not None, named=names is not None, coarse=coarse)
    for begin in range(0, count, _AT_ONCE):
        segment.put(begin, codes.rows(order[begin : begin + _AT_ONCE]))
        report(2, min(count, begin + _AT_ONCE), count)
    segment = segment.extended(codes.ids(order), labels, names)
    filled, begins = np.unique(cell, return_index=True)
    ends = np.append(begins[1:], count)
    added = _inverse(order)
    ids = segment.ids[added]
    ascending = bool(np.all(ids[1:] > ids[:-1]))
    cells = Cells(
        stored(centres.rows(filled), codes.shape).blocks,
        ends.astype(np.uint64),
        added,
        radii[ends - 1],
        np.ascontiguousarray(radii[::SAMPLED]),
        ascending,
    )
    return replace(segment, ascending=False, cells=cells, lookup=Lookup(added) if ascending else Lookup())


def _inverse(order: Ids) -> npt.NDArray[np.uint32] | npt.NDArray[np.int64]:
    inverse = np.empty(len(order), np.int64)
    inverse[order] = np.arange(len(order))
    return inverse.astype(np.uint32) if len(order) < 2**32 else inverse


def _measured(segment: Segment, metric: int, rng: np.random.Generator, threads: int | None) -> Segment:
    """The segment with what its cells are worth, measured on some of its own codes as queries."""
    cells = segment.cells
    if cells is None or segment.count <= _K:
        return segment
    chosen = rng.choice(segment.count, min(segment.count, _TYPICAL), replace=False)
    queries, scan = segment.rows(chosen), Scan(segment.shape, metric, (segment,))
    share = scan.looked_at(queries, _K) / len(queries) / segment.count
    exact = scan.nearest(queries, _K, threads).distances[:, -1:]
    recalls: list[float] = []
    while 2 ** len(recalls) < len(cells) and (not recalls or recalls[-1] < 1):
        found = scan.approximate(queries, _K, 2 ** len(recalls), threads).distances
        recalls.append(float((found <= exact).mean()))
    return replace(segment, cells=replace(cells, share=share, recalls=tuple(recalls)))


_TYPICAL = 256
_K = 10
