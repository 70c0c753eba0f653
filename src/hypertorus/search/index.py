"""The index: codes under ids, searched exactly, changed by one while others search, kept in one file."""

from __future__ import annotations

import operator
import os
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.files.progress import Progress
from hypertorus.files.threads import thread_count
from hypertorus.search._file import Contents
from hypertorus.search._functions import check_k
from hypertorus.search._ids import LARGEST_ID, Ids, LabelNames, check_ids, check_labels
from hypertorus.search._library import metric_number
from hypertorus.search._read import read_index
from hypertorus.search._rows import Shape
from hypertorus.search._scan import NO_DISTANCE, Neighbours, Scan
from hypertorus.search._segment import Batch, Segment, appended
from hypertorus.search._state import State, check_labelled, joined, located, narrowed, new_ids
from hypertorus.search._write import write_index


class Index:
    """Codes of `dim` coordinates of `bits` bits, each under an id, compared by `metric`.

    Think of it as a dict from ids to vectors that also answers "which are nearest to this one?", exactly, by looking
    at all of them. Vectors go in as one number a coordinate: integers from 0 to 2^bits - 1, or floats, which are turns
    in [0, 1) and are quantised; so raw embeddings are added with `index.add(space.turns(raw))`.

    Threads. Any number of threads may search at once, and meanwhile one thread at a time changes the index; a second
    writer waits for the first. Each search sees the index as it was at one moment between two changes, whatever
    happens during the search. A change that raises an error has changed nothing.

    >>> index = Index(dim=2, metric="l1")
    >>> index.add(np.array([[0, 0], [250, 3], [128, 128]]), labels=["a", "a", "b"])
    array([0, 1, 2])
    >>> index
    Index(dim=2, bits=8, metric='l1') of 3 codes with labels
    >>> index.search(np.array([[253, 1]]), k=2)
    Neighbours(ids=array([[0, 1]]), distances=array([[4, 5]], dtype=uint32))
    >>> index.remove([0])
    >>> index.search(np.array([[253, 1]]), k=2).ids
    array([[1, 2]])
    """

    def __init__(self, dim: int, bits: int = 8, metric: str = "cosine") -> None:
        self._shape = Shape(dim, bits)
        self._metric_number = metric_number(metric)
        self.metric = metric
        self._path: Path | None = None
        self._writing = Lock()
        # Readers take this one reference and work on what it holds: segments that never change.
        self._state = State()

    @property
    def dim(self) -> int:
        return self._shape.dim

    @property
    def bits(self) -> int:
        return self._shape.bits

    @property
    def ids(self) -> Ids:
        """All ids, in the order in which their codes were added; not to be written to."""
        return joined([segment.chosen(segment.ids) for segment in self._state.segments])

    @property
    def labels(self) -> npt.NDArray[Any] | None:
        """The label of each id in `ids`, or None in an index without labels; not to be written to."""
        state = self._state
        if not state.labelled:
            return None
        numbers = joined([s.chosen(s.labels) for s in state.segments if s.labels is not None])
        return numbers if state.names is None else state.names.labels(numbers)

    @property
    def has_labels(self) -> bool:
        return self._state.labelled

    @property
    def nbytes(self) -> int:
        """Memory of codes, ids and labels; of an opened index it is the file's, shared with all who open it."""
        return sum(segment.nbytes for segment in self._state.segments)

    def __len__(self) -> int:
        return self._state.live

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int | np.integer) or not 0 <= number <= LARGEST_ID:
            return False
        return any(segment.find(np.array([number]))[0] >= 0 for segment in self._state.segments)

    def __repr__(self) -> str:
        state = self._state
        labels = " with labels" if state.labelled else ""
        source = f", opened from {self._path}" if self._path else ""
        shape = f"dim={self.dim}, bits={self.bits}, metric={self.metric!r}"
        return f"Index({shape}) of {state.live:,} codes{labels}{source}"

    def add(self, codes: Any, ids: Any = None, labels: Any = None, progress: Progress | None = None) -> Ids:
        """Add codes [n, dim] and return their ids.

        Ids are whole numbers from 0; without any, they go on from the largest there ever was. Labels, whole numbers
        or strings, are for all codes of an index or for none. `progress(done, n)` is called now and then.
        """
        count = self._shape.check(codes, "codes")
        given = None if ids is None else check_ids(ids, count)
        given_labels = None if labels is None else check_labels(labels, count)
        with self._writing:
            state = self._state
            check_labelled(state, given_labels)
            fresh = new_ids(state, given, count)
            numbers, names = given_labels, state.names if state.segments else None
            if given_labels is not None and given_labels.dtype.kind == "U":
                names = names or LabelNames()
                numbers = names.numbers(given_labels)
            segments = appended(state.segments, self._shape, Batch(codes, fresh, numbers), progress)
            next_id = max(state.next_id, int(fresh.max()) + 1)
            self._state = State(segments, labelled=numbers is not None, names=names, next_id=next_id)
        return fresh

    def remove(self, ids: Any) -> None:
        """Remove these ids and their codes; memory is given back once most of a part is gone, and by `save`."""
        wanted = check_ids(ids)
        with self._writing:
            state = self._state
            left: list[Segment] = []
            for segment, _, positions in located(state, wanted):
                left.extend(segment.without(positions) if len(positions) else (segment,))
            self._state = replace(state, segments=tuple(left))

    def search(
        self,
        queries: Any,
        k: int = 10,
        where: Any = None,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Neighbours:
        """The k nearest codes of each query [m, dim]: ids and distances, both [m, k], ties by the lower id.

        `where` narrows the search: a mask with a truth value for each of `ids`, or the ids to look among. Where fewer
        than k are left, rows end in id -1 and distance 2^32 - 1. `threads` is all cores unless given, and changes
        nothing but the time taken.
        """
        k, threads = check_k(k), thread_count(threads)
        packed = self._shape.packed(queries, "queries")
        return self._scan(where).nearest(packed, k, threads, progress)

    def within(self, queries: Any, radius: int, where: Any = None, threads: int | None = None) -> list[Neighbours]:
        """For each query [m, dim] all codes no further than `radius`: ids and distances, nearest first.

        >>> index = Index(dim=2, metric="l1")
        >>> _ = index.add(np.array([[0, 0], [250, 3], [128, 128]]))
        >>> index.within(np.array([[253, 1]]), radius=4)
        [Neighbours(ids=array([0]), distances=array([4], dtype=uint32))]
        """
        largest, threads = _check_radius(radius), thread_count(threads)
        packed = self._shape.packed(queries, "queries")
        return self._scan(where).within(packed, largest, threads)

    def vectors(self, ids: Any) -> npt.NDArray[np.uint8]:
        """The codes of these ids, one number a coordinate, [n, dim]."""
        wanted = check_ids(ids)
        rows = np.empty((len(wanted), self._shape.width), np.uint8)
        for segment, places, positions in located(self._state, wanted):
            rows[places] = segment.rows(positions)
        return self._shape.unpacked(rows)

    def labels_of(self, ids: Any) -> npt.NDArray[Any]:
        """The labels of these ids, [n]."""
        state, wanted = self._state, check_ids(ids)
        if not state.labelled:
            raise ValueError("this index has no labels; give them to add, for all codes: index.add(codes, labels=...).")
        numbers = np.empty(len(wanted), np.int64)
        for segment, places, positions in located(state, wanted):
            if segment.labels is not None:
                numbers[places] = segment.labels[positions]
        return numbers if state.names is None else state.names.labels(numbers)

    def save(self, path: str | os.PathLike[str], progress: Progress | None = None) -> None:
        """Write the index to one file; whoever opens the path meanwhile, or after a crash, finds the old one whole."""
        state = self._state
        names = None if state.names is None else list(state.names.names)
        contents = Contents(self._shape, self.metric, state.segments, names, state.labelled, state.next_id)
        write_index(Path(path), contents, progress)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, verify: bool = True) -> Index:
        """The index in a file, memory-mapped: it takes no memory of its own, and many processes may share it.

        Adding and removing change what is in memory, never the file; `save` does. All of the file is checked against
        its checksums, at some GB a second; `verify=False` checks only its header, and opens at once.
        """
        contents = read_index(Path(path), verify=verify)
        index = cls(contents.shape.dim, contents.shape.bits, contents.metric)
        names = None if contents.names is None else LabelNames(contents.names)
        index._path = Path(path)
        index._state = State(contents.segments, labelled=contents.labelled, names=names, next_id=contents.next_id)
        return index

    def _scan(self, where: Any) -> Scan:
        state = self._state
        segments = state.segments if where is None else narrowed(state, where)
        return Scan(self._shape, self._metric_number, segments)


def _check_radius(radius: int) -> int:
    try:
        number = operator.index(radius)
    except TypeError:
        number = -1
    if number < 0:
        raise ValueError(f"radius is {radius!r}; distances are whole numbers, so pass one of at least 0.")
    return min(number, NO_DISTANCE)
