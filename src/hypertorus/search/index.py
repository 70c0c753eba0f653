"""The index: codes under ids, searched exactly, changed by one while others search, kept in one file."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hypertorus.embeddings import Embeddings
from hypertorus.files.progress import Progress
from hypertorus.files.threads import thread_count
from hypertorus.search._arrange import arranged
from hypertorus.search._asked import check_count, check_radius, check_recall, most_cells
from hypertorus.search._changes import Change
from hypertorus.search._coarse import CoarseFacts, coarse_facts
from hypertorus.search._coarsen import coarsened
from hypertorus.search._columns import labels_of, name_array, rows_of
from hypertorus.search._file import Contents
from hypertorus.search._filed import Filed
from hypertorus.search._ids import LARGEST_ID, Ids, check_ids, check_labels, check_names
from hypertorus.search._library import metric_number
from hypertorus.search._names import LabelNames
from hypertorus.search._narrow import narrowed_shape, narrowed_state
from hypertorus.search._neighbours import Neighbours
from hypertorus.search._record import class_labels, row_names, vectors_for
from hypertorus.search._rows import Shape
from hypertorus.search._scan import Scan
from hypertorus.search._segment import Batch, appended
from hypertorus.search._state import (
    State,
    check_labelled,
    check_named,
    few_ids,
    joined,
    located,
    narrowed,
    new_ids,
    tidied_state,
)
from hypertorus.search._writer import WriterLock


class Index(Filed):
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

    def __init__(self, dim: int, bits: int = 8, metric: str = "cosine", *, model: str | None = None) -> None:
        super().__init__()
        self._shape = Shape(dim, bits)
        self._metric_number = metric_number(metric)
        self.metric = metric
        self.model = model
        self._writing = WriterLock()
        # Readers take this one reference and work on what it holds: segments that never change.
        self._state = State()
        # What searching the state takes, made once: the last state that was searched, and its scan.
        self._scanned = self._state, Scan(self._shape, self._metric_number, ())

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
        return numbers if state.label_names is None else state.label_names.labels(numbers)

    @property
    def has_labels(self) -> bool:
        return self._state.labelled

    @property
    def has_names(self) -> bool:
        return self._state.named

    @property
    def nbytes(self) -> int:
        """Memory of all that is searched; of an opened index it is the file's, shared with all who open it."""
        return sum(segment.nbytes for segment in self._state.segments)

    @property
    def cells(self) -> int:
        """How many cells the codes are arranged in; 0 before `arrange`."""
        return sum(len(segment.cells) for segment in self._state.segments if segment.cells is not None)

    @property
    def share(self) -> float:
        """The share of its codes that a typical query looks at, as measured by `arrange`; 1 before that."""
        segments = self._state.segments
        return sum(s.share * s.count for s in segments) / sum(s.count for s in segments) if segments else 1.0

    @property
    def coarse(self) -> CoarseFacts | None:
        """The coarse part: its coordinates and bits, and what `coarsen` found it to be worth."""
        return self._state.coarse

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
        cells = f" in {self.cells:,} cells, a query looks at {self.share:.1%} of them" if self.cells else ""
        coarse = f", with {state.coarse}" if state.coarse else ""
        return f"Index({shape}) of {state.live:,} codes{labels}{cells}{coarse}{source}"

    def add(
        self, codes: Any, ids: Any = None, labels: Any = None, progress: Progress | None = None, *, names: Any = None
    ) -> Ids:
        """Add codes [n, dim] and return their ids.

        Ids are whole numbers from 0; without any, they continue from the largest ever used. Labels, whole numbers
        or strings, and names, strings, are for all codes of an index or for none. `Embeddings` bring their own labels
        and names, and must be of the same model. `progress(done, n)` is called now and then.
        """
        if isinstance(codes, Embeddings):
            labels = class_labels(codes) if labels is None else labels
            names = row_names(codes) if names is None else names
            fingerprint, codes = codes.model, vectors_for(codes, "codes", self)
        else:
            fingerprint = None
        count = self._shape.check(codes, "codes")
        given = None if ids is None else check_ids(ids, count)
        given_labels = None if labels is None else check_labels(labels, count)
        given_names = None if names is None else check_names(names, count)
        with self._writing:
            state = self._state
            check_labelled(state, given_labels)
            check_named(state, given_names)
            fresh = new_ids(state, given, count)
            label_names = state.label_names if state.segments else None
            numbers: Ids | None
            if isinstance(given_labels, list):
                label_names = LabelNames() if label_names is None else label_names
                numbers, unknown = label_names.numbered(given_labels)
            else:
                numbers, unknown = given_labels, []
            batch = Batch(codes, fresh, numbers, given_names)
            segments = appended(state.segments, self._shape, batch, progress, state.coarse)
            if label_names is not None:
                label_names = label_names.grown(unknown)
            next_id = max(state.next_id, int(fresh.max()) + 1)
            version, labelled, named = state.version + 1, numbers is not None, given_names is not None
            changed = State(segments, labelled, label_names, next_id, named, version, state.arranged, state.coarse)
            self._publish(changed, Change(version, added=True, ids=fresh))
            self.model = self.model or fingerprint
        return fresh

    def remove(self, ids: Any) -> None:
        """Remove these ids and their codes; memory is given back once most of a part is gone, and by `save`."""
        wanted = np.unique(check_ids(ids))
        with self._writing:
            state = self._state
            left = [
                segment.without(positions) if len(positions) else segment
                for segment, _, positions in located(state, wanted)
            ]
            version = state.version + 1
            changed = replace(state, segments=tuple(left), version=version)
            self._publish(changed, Change(version, added=False, ids=wanted))

    def arrange(self, cells: int | None = None, threads: int | None = None, progress: Progress | None = None) -> None:
        """Arrange the codes in cells, so that a search looks at few of them; what it finds stays the same.

        Codes of a trained model form clusters, and a query has to look at about the share of one cluster; codes without
        clusters are searched no faster than before, and `share` says so. `cells` is twice the square root of the number
        of codes unless given. Codes that are added later are scanned until they are a quarter of all, and are arranged
        with the rest then. `progress(done, n)` is called now and then.

        >>> index = Index(dim=4, metric="l1")
        >>> clusters = np.arange(0, 250, 25).repeat(100)[:, None]
        >>> _ = index.add(clusters + np.random.default_rng(0).integers(0, 8, (1000, 4)))
        >>> index.arrange()
        >>> index.cells, index.share < 0.2
        (63, True)
        """
        wanted = None if cells is None else check_count(cells, "cells")
        if threads is not None:
            thread_count(threads)
        with self._writing:
            state = self._state
            if not state.live:
                raise ValueError("there are no codes to arrange; add some first.")
            segment = arranged(state.segments, self._metric_number, wanted, threads, progress)
            self._publish(replace(state, segments=(segment,), version=state.version + 1, arranged=True), None)

    def coarsen(self, coordinates: int | None = None, bits: int = 4, *, progress: Progress | None = None) -> None:
        """Keep the top `bits` bits of the first `coordinates` of each code once more, apart from the codes.

        An exact search then reads this coarse part first, and of the codes only the `coarse.share` that it cannot rule
        out, if that is cheaper. `search(recall=0.99)` looks at as many of the best of the first pass as held that share
        of true neighbours, on codes of the index itself. Codes that are added later have a coarse part, too.

        >>> _ = (index := Index(dim=8)).add(np.arange(16).reshape(2, 8))
        >>> index.coarsen(coordinates=4, bits=4)
        """
        facts = coarse_facts(self._shape, coordinates, bits)
        with self._writing:
            state = self._state
            if not state.live:
                raise ValueError("there are no codes to coarsen; add some first.")
            segments, worth = coarsened(state.segments, facts, self._metric_number, progress)
            self._publish(replace(state, segments=segments, version=state.version + 1, coarse=worth), None)

    def narrowed(
        self, coordinates: int | None = None, bits: int | None = None, *, progress: Progress | None = None
    ) -> Self:
        """An index with the first `coordinates` of each code at its top `bits` bits; nothing is encoded again.

        Ids, labels, names and the model stay, and `Embeddings` of that model, which are cut alike, search it. An
        arranged index is arranged anew, and a coarse part is not kept.

        >>> index = Index(dim=4, metric="l1")
        >>> _ = index.add(np.array([[200, 31, 64, 7], [90, 255, 128, 9]]))
        >>> index.narrowed(coordinates=2, bits=2).vectors([0, 1]).tolist()
        [[3, 0], [1, 3]]
        """
        shape = narrowed_shape(self._shape, coordinates, bits)
        with self._writing:
            state = self._state
            if state.label_names is not None:
                state.label_names.shared = True
        index = self._of(Contents(shape, self.metric, narrowed_state(state, shape, progress), self.model))
        if state.arranged and state.live:
            index.arrange()
        return index

    def search(
        self,
        queries: Any,
        k: int = 10,
        where: Any = None,
        threads: int | None = None,
        progress: Progress | None = None,
        *,
        recall: float | None = None,
        cells: int | None = None,
    ) -> Neighbours:
        """The k nearest codes of each query [m, dim]: ids and distances, both [m, k], ties by the lower id.

        `where` narrows the search: a mask with a truth value for each of `ids`, or the ids to look among. Where fewer
        than k are left, rows end in id -1 and distance 2^32 - 1. `threads` is all cores unless given, and changes
        nothing but the time taken.

        A search is exact. For codes without clusters, an index that is arranged or has a coarse part also searches
        approximately: `recall` is the share of true neighbours to find, `cells` how many cells to look at. The result
        says in `recall` what as much work found when that was measured, and in `proved` which rows are exact.
        """
        k = check_count(k, "k")
        if threads is not None:
            thread_count(threads)
        state = self._state
        if where is not None and recall is None and cells is None and (few := few_ids(where)) is not None:
            found = self._scan(state, None).among(few, self._packed(queries), k)
            if found is not None:
                return _with_columns(found, state)
        scan = self._scan(state, where)
        if recall is None and cells is None:
            return _with_columns(scan.nearest(self._packed(queries), k, threads, progress), state)
        if cells is None and state.coarse is not None and not any(s.cells and s.cells.pays for s in state.segments):
            most, measured = state.coarse.reranked_for(check_recall(recall), k, state.live)
            found = scan.reranked(self._packed(queries), k, most, threads, progress)
        else:
            most, measured = most_cells(state.segments, recall, cells)
            found = scan.approximate(self._packed(queries), k, most, threads, progress)
        found.recall = measured
        return _with_columns(found, state)

    def within(self, queries: Any, radius: int, where: Any = None, threads: int | None = None) -> list[Neighbours]:
        """For each query [m, dim] all codes no further than `radius`: ids and distances, nearest first.

        >>> index = Index(dim=2, metric="l1")
        >>> _ = index.add(np.array([[0, 0], [250, 3], [128, 128]]))
        >>> index.within(np.array([[253, 1]]), radius=4)
        [Neighbours(ids=array([0]), distances=array([4], dtype=uint32))]
        """
        largest = check_radius(radius)
        if threads is not None:
            thread_count(threads)
        state = self._state
        found = self._scan(state, where).within(self._packed(queries), largest, threads)
        return [_with_columns(each, state) for each in found]

    def vectors(self, ids: Any) -> npt.NDArray[np.uint8]:
        """The codes of these ids, one number a coordinate, [n, dim]."""
        return self._shape.unpacked(rows_of(self._state, self._shape, check_ids(ids)))

    def labels_of(self, ids: Any) -> npt.NDArray[Any]:
        """The labels of these ids, [n]."""
        return labels_of(self._state, check_ids(ids))

    def names_of(self, ids: Any) -> npt.NDArray[Any]:
        """The names of these ids, [n]."""
        return name_array(self._state, check_ids(ids))

    def _publish(self, state: State, change: Change | None) -> None:
        """Let readers see a new state; one that differs by more than a change of ids is committed as a whole.

        It has few segments, and is arranged anew once a quarter of its codes is in no cell.
        """
        state = tidied_state(state)
        outside = sum(segment.outside for segment in state.segments)
        if state.arranged and not self._opening and outside >= max(_FEW_OUTSIDE, state.live // 4):
            state, change = replace(state, segments=(arranged(state.segments, self._metric_number),)), None
        if change is None or self._source is None:
            self._changes.lose(state.version)
        else:
            self._changes.note(change, max(_CHANGES_KEPT, state.live // 4))
        self._state = state
        self._scanned = state, Scan(self._shape, self._metric_number, state.segments)  # which lets go of the last one

    @classmethod
    def _of(cls, contents: Contents) -> Self:
        index = cls(contents.shape.dim, contents.shape.bits, contents.metric, model=contents.model)
        index._state = contents.state
        return index

    def __copy__(self) -> Self:
        """An index of its own that shares the memory of what is in it now; changes to one do not reach the other."""
        twin = type(self).__new__(type(self))
        with self._writing:
            vars(twin).update(vars(self))
            state = self._state
            if state.label_names is not None:
                state.label_names.shared = True
            changes = self._changes.copied()
        segments = tuple(segment.full() for segment in state.segments)
        own = {"_state": replace(state, segments=segments), "_changes": changes, "_held": None}
        vars(twin).update(own, _writing=WriterLock(), _filing=WriterLock(reentrant=True))
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()

    def _packed(self, queries: Any) -> npt.NDArray[np.uint8]:
        vectors = vectors_for(queries, "queries", self) if isinstance(queries, Embeddings) else queries
        return self._shape.packed(vectors, "queries")

    def _scan(self, state: State, where: Any) -> Scan:
        if where is not None:
            return Scan(self._shape, self._metric_number, narrowed(state, where))
        kept, scan = self._scanned
        if kept is not state:
            scan = Scan(self._shape, self._metric_number, state.segments)
            self._scanned = state, scan
        return scan


def _with_columns(found: Neighbours, state: State) -> Neighbours:
    if state.labelled:
        found.label_column = partial(labels_of, state)
    if state.named:
        found.name_column = partial(name_array, state)
    return found


_CHANGES_KEPT = 2**20
_FEW_OUTSIDE = 4096
