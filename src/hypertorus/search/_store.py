"""An index and its file: opened with its journal at one moment, replaced whole, or added to by one writer at a time."""

from __future__ import annotations

import hashlib
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from hypertorus.files.atomic import replacing
from hypertorus.files.lock import FileLock
from hypertorus.files.progress import Progress
from hypertorus.files.tensors import identity
from hypertorus.search._changes import Net
from hypertorus.search._columns import label_numbers_of, names_of, rows_of
from hypertorus.search._file import Contents, IndexFileError
from hypertorus.search._journal import Record, append_record, combined, journal_size, read_journal, remove_journal
from hypertorus.search._read import open_tensors, read_index
from hypertorus.search._write import write_index

LEAST_TO_FOLD = 2**22
"""Bytes of a journal that are never worth writing the whole file anew."""


@dataclass(frozen=True)
class Source:
    """The file that an index is in step with, apart from the changes since a version of the index."""

    path: Path
    base: bytes
    """The SHA-256 checksum of the file's header, which has checksums of all in the file."""
    size: int
    journal: int
    """How many bytes of the journal count."""
    version: int
    model: str | None
    verified: bool


def open_source(path: Path, *, verify: bool, mmap: bool) -> tuple[Contents, list[Record], Source]:
    """A file and its journal as they are at one moment."""
    for _ in range(_TRIES):
        file = open_tensors(path, mmap=mmap)
        place, base = path.resolve(), file.header_sha256()
        journal, records = read_journal(place, base)
        if identity(place.stat()) == file.identity:
            contents = read_index(file, verify=verify)
            return contents, combined(records), Source(place, base, file.size, journal, 0, None, verify)
        # Another file has taken the name, and the journal may be gone with the old one.
    raise IndexFileError(f"{path} was replaced {_TRIES} times while it was opened; let its writers pause.")


_TRIES = 1000


def replace_source(path: Path, contents: Contents, progress: Progress | None, lock: FileLock | None = None) -> Source:
    """Write a whole file and delete its journal; `lock` is that of the file, if the caller holds it."""
    path = path.resolve()
    with ExitStack() as stack:
        with replacing(path) as file:
            header = write_index(file, contents, progress)
            size = file.seek(0, 2)
            if lock is None:
                with suppress(FileNotFoundError, PermissionError):  # nobody writes to a file that is not there
                    stack.enter_context(FileLock(path))  # not before, for writing takes long
        remove_journal(path)
    base = hashlib.sha256(header).digest()
    return Source(path, base, size, 0, contents.state.version, contents.model, verified=True)


def commit_changes(
    source: Source, contents: Contents, net: Net | None, progress: Progress | None, lock: FileLock
) -> Source:
    """Write what changed behind the journal, or everything if that is not known or has become much."""
    if (open_tensors(source.path).header_sha256(), journal_size(source.path, source.base)) != (
        source.base,
        source.journal,
    ):
        raise ValueError(
            f"{source.path} was changed by another writer since it was opened here; open it again, or change it within "
            "`with Index.editing(path)`, where other writers wait."
        )
    record = None if net is None else record_of(contents, net).encoded()
    if record is None or source.journal + len(record) > max(LEAST_TO_FOLD, source.size // 4):
        if not source.verified:  # or damage would get a checksum that is right
            read_index(open_tensors(source.path), verify=True)
        return replace_source(source.path, contents, progress, lock)
    journal = append_record(source.path, source.base, source.journal, record)
    return replace(source, journal=journal, version=contents.state.version, model=contents.model)


def record_of(contents: Contents, net: Net) -> Record:
    """The codes that were added, with all that is known of them, and the ids that were removed."""
    state = contents.state
    rows, names = rows_of(state, contents.shape, net.added), names_of(state, net.added) if state.named else None
    labels = label_numbers_of(state, net.added) if state.labelled else None
    strings = None if labels is None or state.label_names is None else state.label_names.at(labels)
    numbers = labels if strings is None else None
    return Record(net.removed, net.added, rows, numbers, strings, names, state.next_id, contents.model)
