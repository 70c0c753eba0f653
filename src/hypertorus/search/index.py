"""The index: codes under ids, searched exactly, changed by one while others search, kept in one file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hypertorus.embeddings import Embeddings
from hypertorus.files.progress import Progress
from hypertorus.files.threads import thread_count
from hypertorus.search._arrange import arranged
from hypertorus.search._asked import check_count, check_radius, check_recall, most_cells
from hypertorus.search._asymmetric import is_asymmetric, nearest_to_turns, within_of_turns
from hypertorus.search._by_tables import ByTables
from hypertorus.search._changes import Change
from hypertorus.search._columns import labels_of, name_array, rows_of, with_columns
from hypertorus.search._file import Contents
from hypertorus.search._filed import Filed
from hypertorus.search._ids import LARGEST_ID, Ids, check_ids, check_labels, check_names
from hypertorus.search._laid_out import LaidOut
from hypertorus.search._library import TABLES, check_angles, metric_number
from hypertorus.search._names import LabelNames
from hypertorus.search._neighbours import Neighbours
from hypertorus.search._record import class_labels, queries_for, row_names, vectors_for
from hypertorus.search._rows import Shape
from hypertorus.search._scan import Scan
from hypertorus.search._segment import Batch, appended
from hypertorus.search._state import (
    State,
    check_labelled,
    check_named,
    few_ids,
    joined,
    known_ids,
    located,
    narrowed,
    new_ids,
    tidied_state,
)
from hypertorus.search._writer import WriterLock


class Index(ByTables, LaidOut, Filed):
    """Codes of `dim` coordinates of `bits` bits, each under an id, compared by `metric`.

    Think of it as a dict from ids to vectors that also answers "which are nearest to this one?", exactly, by looking
    at all of them. Vectors go in as one number a coordinate: integers from 0 to 2^bits - 1, or floats, which are turns
    in [0, 1) and are quantised; so raw embeddings are added with `index.add(space.turns(raw))`. Queries are given
    likewise, and turns are then not rounded: see `search`. Codes that are no angles, such as those of a plain coder,
    have the metric "tables", and are found by `search_tables` and `within_tables` alone.

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
        self._metric_number = 0 if metric == TABLES else metric_number(metric)
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

    def __len__(self) -> int:
        return self._state.live

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int | np.integer) or not 0 <= number <= LARGEST_ID:
            return False
        return any(segment.find(np.array([number]))[0] >= 0 for segment in self._state.segments)

    def has(self, ids: Any) -> npt.NDArray[np.bool_]:
        """Whether each of these ids is in the index, [n].

        >>> index = Index(dim=2)
        >>> _ = index.add(np.array([[0, 0], [250, 3]]), ids=[3, 8])
        >>> index.has([8, 5])
        array([ True, False])
        """
        return known_ids(self._state, check_ids(ids))

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

        Queries that are codes are compared with codes by the metric. Queries that are turns need not be rounded: at 4,
        2 and 1 bits they are compared with the middle of the arc that each code stands for, which finds more, and the
        result says `asymmetric`. Such a distance is the sum of round(s * value) over all coordinates, where value is
        the metric's share of half a turn, (1 - cos) / 2 for cosine, and s is 127.5, or 63.5 at 1 bit. At 8 bits there
        is nothing to gain, and turns are rounded.

        A search is exact. For codes without clusters, an index that is arranged or has a coarse part also searches
        approximately: `recall` is the share of true neighbours to find, `cells` how many cells to look at. The result
        says in `recall` what as much work found when that was measured, and in `proved` which rows are exact. Cells and
        coarse parts know codes alone: an approximate search rounds turns, and an exact one by turns looks at all codes.
        """
        check_angles(self.metric)
        k = check_count(k, "k")
        if threads is not None:
            thread_count(threads)
        state = self._state
        given = self._queries(queries)
        if recall is None and cells is None and is_asymmetric(given, self._shape):
            found = nearest_to_turns(self._table_scan(state, where), given, k, threads, progress)
            return with_columns(found, state)
        if where is not None and recall is None and cells is None and (few := few_ids(where)) is not None:
            among = self._scan(state, None).among(few, self._packed(given), k)
            if among is not None:
                return with_columns(among, state)
        scan = self._scan(state, where)
        if recall is None and cells is None:
            return with_columns(scan.nearest(self._packed(given), k, threads, progress), state)
        if cells is None and state.coarse is not None and not any(s.cells and s.cells.pays for s in state.segments):
            most, measured = state.coarse.reranked_for(check_recall(recall), k, state.live)
            found = scan.reranked(self._packed(given), k, most, threads, progress)
        else:
            most, measured = most_cells(state.segments, recall, cells)
            found = scan.approximate(self._packed(given), k, most, threads, progress)
        found.recall = measured
        return with_columns(found, state)

    def within(self, queries: Any, radius: int, where: Any = None, threads: int | None = None) -> list[Neighbours]:
        """For each query [m, dim] all codes no further than `radius`: ids and distances, nearest first.

        The radius is a distance as `search` gives it, that of turns at 4, 2 and 1 bits as it is there.

        >>> index = Index(dim=2, metric="l1")
        >>> _ = index.add(np.array([[0, 0], [250, 3], [128, 128]]))
        >>> index.within(np.array([[253, 1]]), radius=4)
        [Neighbours(ids=array([0]), distances=array([4], dtype=uint32))]
        """
        check_angles(self.metric)
        largest = check_radius(radius)
        if threads is not None:
            thread_count(threads)
        state = self._state
        given = self._queries(queries)
        if is_asymmetric(given, self._shape):
            found = within_of_turns(self._table_scan(state, where), given, largest, threads)
        else:
            found = self._scan(state, where).within(self._packed(given), largest, threads)
        return [with_columns(each, state) for each in found]

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

    def _queries(self, queries: Any) -> Any:
        return queries_for(queries, self) if isinstance(queries, Embeddings) else queries

    def _packed(self, queries: Any) -> npt.NDArray[np.uint8]:
        return self._shape.packed(queries, "queries")

    def _scan(self, state: State, where: Any) -> Scan:
        if where is not None:
            return Scan(self._shape, self._metric_number, narrowed(state, where))
        kept, scan = self._scanned
        if kept is not state:
            scan = Scan(self._shape, self._metric_number, state.segments)
            self._scanned = state, scan
        return scan


_CHANGES_KEPT = 2**20
_FEW_OUTSIDE = 4096
