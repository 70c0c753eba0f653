"""The index: codes under ids, searched exactly, changed by one while others search, kept in one file."""

from __future__ import annotations

import io
import operator
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hypertorus.embeddings import Embeddings
from hypertorus.files.lock import FileLock
from hypertorus.files.progress import Progress
from hypertorus.files.tensors import TensorFile
from hypertorus.files.threads import thread_count
from hypertorus.search._changes import Change, Changes
from hypertorus.search._columns import labels_of, name_array, rows_of
from hypertorus.search._file import Contents, IndexFileError
from hypertorus.search._functions import check_k
from hypertorus.search._ids import LARGEST_ID, Ids, check_ids, check_labels, check_names
from hypertorus.search._journal import Record
from hypertorus.search._library import metric_number
from hypertorus.search._names import LabelNames
from hypertorus.search._read import read_index
from hypertorus.search._record import class_labels, row_names, vectors_for
from hypertorus.search._rows import Shape
from hypertorus.search._scan import NO_DISTANCE, Neighbours, Scan
from hypertorus.search._segment import Batch, appended
from hypertorus.search._state import (
    State,
    check_labelled,
    check_named,
    joined,
    located,
    narrowed,
    new_ids,
    tidied_state,
)
from hypertorus.search._store import Source, commit_changes, open_source, replace_source
from hypertorus.search._write import write_index
from hypertorus.search._writer import WriterLock


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

    def __init__(self, dim: int, bits: int = 8, metric: str = "cosine", *, model: str | None = None) -> None:
        self._shape = Shape(dim, bits)
        self._metric_number = metric_number(metric)
        self.metric = metric
        self.model = model
        self._path: Path | None = None
        self._source: Source | None = None  # the file that `commit` adds to
        self._changes = Changes()
        self._held: FileLock | None = None
        self._filing = WriterLock(reentrant=True)  # of those who write to its file
        self._writing = WriterLock()
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
        return numbers if state.label_names is None else state.label_names.labels(numbers)

    @property
    def has_labels(self) -> bool:
        return self._state.labelled

    @property
    def has_names(self) -> bool:
        return self._state.named

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
            segments = appended(state.segments, self._shape, batch, progress)
            if label_names is not None:
                label_names = label_names.grown(unknown)
            next_id = max(state.next_id, int(fresh.max()) + 1)
            version, labelled, named = state.version + 1, numbers is not None, given_names is not None
            changed = State(segments, labelled, label_names, next_id, named=named, version=version)
            self._publish(tidied_state(changed), Change(version, added=True, ids=fresh))
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
            self._publish(tidied_state(changed), Change(version, added=False, ids=wanted))

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
        state = self._state
        found = self._scan(state, where).nearest(self._packed(queries), k, threads, progress)
        return _with_columns(found, state)

    def within(self, queries: Any, radius: int, where: Any = None, threads: int | None = None) -> list[Neighbours]:
        """For each query [m, dim] all codes no further than `radius`: ids and distances, nearest first.

        >>> index = Index(dim=2, metric="l1")
        >>> _ = index.add(np.array([[0, 0], [250, 3], [128, 128]]))
        >>> index.within(np.array([[253, 1]]), radius=4)
        [Neighbours(ids=array([0]), distances=array([4], dtype=uint32))]
        """
        largest, threads = _check_radius(radius), thread_count(threads)
        state = self._state
        found = self._scan(state, where).within(self._packed(queries), largest, threads)
        return [_with_columns(each, state) for each in found]

    def vectors(self, ids: Any) -> npt.NDArray[np.uint8]:
        """The codes of these ids, one number a coordinate, [n, dim]."""
        return self._shape.unpacked(rows_of(self._state, self._shape, check_ids(ids)))

    def labels_of(self, ids: Any) -> npt.NDArray[Any]:
        """The labels of these ids, [n]."""
        return labels_of(self._state, check_ids(ids))

    def names_of(self, ids: Any) -> npt.NDArray[np.str_]:
        """The names of these ids, [n]."""
        return name_array(self._state, check_ids(ids))

    def save(self, path: str | os.PathLike[str], progress: Progress | None = None) -> None:
        """Write the index to one file; until it is complete, and after a crash, the path still holds the old one."""
        with self._filing:
            self._follow(replace_source(Path(path), self._contents(), progress, self._lock_of(Path(path).resolve())))

    def commit(self, progress: Progress | None = None) -> None:
        """Write what changed since the index was opened, saved or committed, to the journal of its file.

        It takes as long as the changes are many, not as the index is large, and a crash at any moment leaves all or
        none of them. Only when the journal has grown to a quarter of the file, the whole file is written anew, as by
        `save`. If another writer has changed the file since, that is an error; see `editing`.
        """
        with self._filing, ExitStack() as stack:
            source, contents = self._source, self._contents()
            if source is None:
                raise ValueError("this index has no file yet; write one with index.save(path).")
            if (source.version, source.model) == (contents.state.version, contents.model):
                return
            lock = self._lock_of(source.path) or stack.enter_context(FileLock(source.path))
            net = self._changes.between(source.version, contents.state.version)
            self._follow(commit_changes(source, contents, net, progress, lock))

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, verify: bool = True, mmap: bool = True) -> Self:
        """The index in a file, memory-mapped: it takes no memory of its own, and many processes may share it.

        Adding and removing change what is in memory, never the file; `commit` and `save` do. All of the file is checked
        against its checksums, at some GB a second; `verify=False` checks only its header, and opens at once.
        `mmap=False` reads the file into memory, for files that other programs write over where they lie: a map would
        change, too, or crash the process once the file is shorter.
        """
        contents, records, source = open_source(Path(path), verify=verify, mmap=mmap)
        index = cls._of(contents)
        for record in records:
            index._apply(record, source.path)  # noqa: SLF001
        source = replace(source, version=index._state.version, model=index.model)  # noqa: SLF001
        vars(index).update(_path=Path(path), _source=source)
        return index

    @classmethod
    @contextmanager
    def editing(cls, path: str | os.PathLike[str]) -> Iterator[Self]:
        """The index in a file, opened to be changed: other writers wait, and in the end the changes are committed.

        The file is not read for this, apart from its header; an error in the `with` block leaves it as it was.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Index(dim=2).save(f"{folder}/index")
        ...     with Index.editing(f"{folder}/index") as index:
        ...         _ = index.add(np.array([[0, 0], [250, 3]]))
        ...     Index.open(f"{folder}/index").ids
        array([0, 1])
        """
        with FileLock(Path(path)) as lock:
            index = cls.open(path, verify=False)
            vars(index)["_held"] = lock
            try:
                yield index
                index.commit()
            finally:
                vars(index)["_held"] = None

    def _lock_of(self, path: Path) -> FileLock | None:
        """The lock of this file, if it is held for this index."""
        return self._held if self._held is not None and self._held.is_of(path) else None

    def _contents(self) -> Contents:
        return Contents(self._shape, self.metric, self._state, self.model)

    def _publish(self, state: State, change: Change | None) -> None:
        """Let readers see a new state; one that differs by more than a change of ids is committed as a whole."""
        if change is None or self._source is None:
            self._changes.lose(state.version)
        else:
            self._changes.note(change, max(_CHANGES_KEPT, state.live // 4))
        self._state = state

    def _follow(self, source: Source) -> None:
        """From now on, this is the file that the index is in step with up to a version."""
        self._source = source
        self._changes.forget(source.version)

    def _apply(self, record: Record, path: Path) -> None:
        """Change the index as a record of the journal says."""
        try:
            if len(record.removed):
                self.remove(record.removed)
            if len(record.ids):
                labels = record.labels if record.label_names is None else record.label_names
                self.add(self._shape.unpacked(record.rows), record.ids, labels, names=record.names)
        except (ValueError, TypeError) as error:
            raise IndexFileError(f"the journal of {path} does not fit it: {error}") from error
        self._state = replace(self._state, next_id=max(self._state.next_id, record.next_id))
        self.model = record.model or self.model

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

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as the bytes of its file, which are checked when they are read."""
        file = io.BytesIO()
        write_index(file, self._contents())
        return _unpickled, (type(self), file.getvalue())

    def _packed(self, queries: Any) -> npt.NDArray[np.uint8]:
        vectors = vectors_for(queries, "queries", self) if isinstance(queries, Embeddings) else queries
        return self._shape.packed(vectors, "queries")

    def _scan(self, state: State, where: Any) -> Scan:
        segments = state.segments if where is None else narrowed(state, where)
        return Scan(self._shape, self._metric_number, segments)


def _with_columns(found: Neighbours, state: State) -> Neighbours:
    labels = partial(labels_of, state) if state.labelled else None
    return Neighbours(found.ids, found.distances, labels, partial(name_array, state) if state.named else None)


_CHANGES_KEPT = 2**20


def _unpickled(kind: type[Index], data: bytes) -> Index:
    return kind._of(read_index(TensorFile.of(data, "the pickled index")))  # noqa: SLF001


def _check_radius(radius: int) -> int:
    try:
        number = operator.index(radius)
    except TypeError:
        number = -1
    if number < 0:
        raise ValueError(f"radius is {radius!r}; distances are whole numbers, so pass one of at least 0.")
    return min(number, NO_DISTANCE)
