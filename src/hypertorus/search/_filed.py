"""The index as far as it is kept in a file: saved, opened, edited, committed, and pickled as the bytes of one."""

from __future__ import annotations

import io
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from hypertorus.files.lock import FileLock
from hypertorus.files.progress import Progress
from hypertorus.files.tensors import TensorFile
from hypertorus.search._changes import Changes
from hypertorus.search._file import Contents, IndexFileError
from hypertorus.search._ids import Ids
from hypertorus.search._journal import Record
from hypertorus.search._read import read_index
from hypertorus.search._rows import Shape
from hypertorus.search._state import State
from hypertorus.search._store import Source, commit_changes, open_source, replace_source
from hypertorus.search._write import write_index
from hypertorus.search._writer import WriterLock


class Filed(ABC):
    """What an index does with its file; the index itself is the class that inherits from it."""

    metric: str
    model: str | None
    _shape: Shape
    _state: State

    def __init__(self) -> None:
        self._path: Path | None = None
        self._source: Source | None = None  # the file that `commit` adds to
        self._changes = Changes()
        self._held: FileLock | None = None
        self._opening = False
        self._filing = WriterLock(reentrant=True)  # of those who write to its file

    @abstractmethod
    def add(
        self, codes: Any, ids: Any = None, labels: Any = None, progress: Progress | None = None, *, names: Any = None
    ) -> Ids: ...

    @abstractmethod
    def remove(self, ids: Any) -> None: ...

    @classmethod
    @abstractmethod
    def _of(cls, contents: Contents) -> Self: ...

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
        vars(index).update(_opening=True)
        for record in records:
            index._apply(record, source.path)  # noqa: SLF001
        source = replace(source, version=index._state.version, model=index.model)  # noqa: SLF001
        vars(index).update(_path=Path(path), _source=source, _opening=False)
        return index

    @classmethod
    @contextmanager
    def editing(cls, path: str | os.PathLike[str]) -> Iterator[Self]:
        """The index in a file, opened to be changed: other writers wait, and in the end the changes are committed.

        The file is not read for this, apart from its header; an error in the `with` block leaves it as it was.

        >>> import tempfile
        >>> import numpy as np
        >>> from hypertorus.search import Index
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

    @property
    def file_checksum(self) -> str | None:
        """SHA-256 of the header of its file, which has checksums of all in it; None if the file holds another state."""
        source = self._source
        if source is None or source.journal or (source.version, source.model) != (self._state.version, self.model):
            return None
        return source.base.hex()

    def _lock_of(self, path: Path) -> FileLock | None:
        """The lock of this file, if it is held for this index."""
        return self._held if self._held is not None and self._held.is_of(path) else None

    def _contents(self) -> Contents:
        return Contents(self._shape, self.metric, self._state, self.model)

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

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as the bytes of its file, which are checked when they are read."""
        file = io.BytesIO()
        write_index(file, self._contents())
        return _unpickled, (type(self), file.getvalue())


def _unpickled(kind: type[Filed], data: bytes) -> Filed:
    return kind._of(read_index(TensorFile.of(data, "the pickled index")))  # noqa: SLF001
