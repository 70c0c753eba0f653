"""The journal of an index: what changed since its file was written, in a second file beside it.

`NAME.journal` begins with 64 bytes: the magic number, the SHA-256 checksum of the header of the file that it goes with,
how many bytes of the journal count, and a CRC-32 of these. Then come records, each after its length (8 bytes) and its
CRC-32: safetensors with the ids that were removed, and then the codes that were added, as packed rows, with their ids,
labels and names; the metadata have the next id and the model.

A record is written behind those that count and flushed; then the length in the header is written and flushed. A process
that is killed in between leaves bytes that do not count, and the next writer cuts them off. What counts is never
changed, so readers need no lock, and damage to it is always noticed. A journal that goes with another file is left over
from a crash after that file was replaced: it does not count either.
"""

from __future__ import annotations

import os
import struct
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from hypertorus.files.atomic import replacing, sync_folder
from hypertorus.files.names import RowNames
from hypertorus.files.partial import shortened
from hypertorus.files.tensors import TensorFile, tensor_bytes
from hypertorus.search._changes import Change, net
from hypertorus.search._file import IndexFileError
from hypertorus.search._lookup import Ids, Lookup

_MAGIC = b"HTJOURN1"
_HEADER = struct.Struct("<8s32sQI12x")
_RECORD = struct.Struct("<QI")
_TRIES = 50


@dataclass(frozen=True)
class Record:
    """What one commit changed: first some ids are removed, then codes are added."""

    removed: Ids
    ids: Ids
    rows: npt.NDArray[np.uint8]
    labels: Ids | None
    label_names: list[str] | None
    """The labels as strings, if they are strings; then there are no numbers."""
    names: list[str] | None
    next_id: int
    model: str | None

    def encoded(self) -> bytes:
        tensors: dict[str, npt.NDArray[Any]] = {"removed": self.removed, "ids": self.ids, "rows": self.rows}
        if self.labels is not None:
            tensors["labels"] = self.labels
        for name, strings in (("label_names", self.label_names), ("names", self.names)):
            if strings is not None:
                rows = RowNames.of(strings)
                tensors |= {name: rows.text, f"{name}.ends": rows.ends}
        metadata = {"next_id": str(self.next_id)} | ({} if self.model is None else {"model": self.model})
        payload = b"".join(tensor_bytes(tensors, metadata))
        return _RECORD.pack(len(payload), zlib.crc32(payload)) + payload

    @classmethod
    def decoded(cls, payload: bytes, name: str) -> Record:
        file = TensorFile.of(payload, name)

        def strings(name: str) -> list[str] | None:
            return RowNames(file[name], file[f"{name}.ends"]).tolist() if name in file else None

        return cls(
            *(file["removed"], file["ids"], file["rows"], file.get("labels")),
            *(strings("label_names"), strings("names"), int(file.metadata["next_id"]), file.metadata.get("model")),
        )


def combined(records: list[Record]) -> list[Record]:
    """One record that does what these do, or they themselves if labels or names have begun or ended in between."""
    adding = [record for record in records if len(record.ids)]
    kinds = {(r.labels is None, r.label_names is None, r.names is None) for r in adding}
    if len(records) < 2 or len(kinds) != 1:
        return records
    changes = [
        change
        for record in records
        for change in (Change(0, added=False, ids=record.removed), Change(0, added=True, ids=record.ids))
    ]
    removed, added = net(changes)
    ids = np.concatenate([record.ids for record in adding])
    at = Lookup().positions(ids, added, ascending=False)
    rows = np.concatenate([record.rows for record in adding])[at]
    numbers = [record.labels for record in adding if record.labels is not None]
    labels = np.concatenate(numbers)[at] if numbers else None
    names = _chosen([record.names for record in adding], at)
    strings = _chosen([record.label_names for record in adding], at)
    last = records[-1]
    return [Record(removed, added, rows, labels, strings, names, last.next_id, last.model)]


def _chosen(lists: list[list[str] | None], at: Ids) -> list[str] | None:
    strings = [one for part in lists if part is not None for one in part]
    return None if lists[0] is None else [strings[place] for place in at.tolist()]


def journal_path(path: Path) -> Path:
    """Where the journal of the index in this file is; the file is not a symbolic link."""
    return path.with_name(shortened(path.name, len(".journal")) + ".journal")


def read_journal(path: Path, base: bytes) -> tuple[int, list[Record]]:
    """How many bytes of the journal beside a file count, and the records in them; 0 if there is none for this file."""
    journal = journal_path(path)
    try:
        with journal.open("rb") as file:
            size = _counted(file, journal, base)
            content = file.read(max(0, size - _HEADER.size))
    except FileNotFoundError:
        return 0, []
    if len(content) < size - _HEADER.size:
        raise IndexFileError(f"{journal} is damaged: it was cut short; restore it, or delete it and lose its changes.")
    return size, list(_records(content, journal))


def journal_size(path: Path, base: bytes) -> int:
    """How many bytes of the journal beside a file count."""
    journal = journal_path(path)
    try:
        with journal.open("rb") as file:
            return _counted(file, journal, base)
    except FileNotFoundError:
        return 0


def append_record(path: Path, base: bytes, size: int, record: bytes) -> int:
    """Write a record behind the `size` bytes that count, and return how many count now. The caller holds the lock."""
    journal = journal_path(path)
    if size == 0:
        if journal.exists() and not _is_journal(journal):
            raise ValueError(f"{journal} is no journal, but its name is that of one; move it to another place.")
        size = _HEADER.size + len(record)
        with replacing(journal, like=path) as file:
            file.write(_header_bytes(base, size))
            file.write(record)
        return size
    with journal.open("r+b") as file:
        file.truncate(size)
        file.seek(size)
        file.write(record)
        _flush(file)
        file.seek(0)
        file.write(_header_bytes(base, size + len(record)))
        _flush(file)
    return size + len(record)


def remove_journal(path: Path) -> None:
    """Delete the journal beside a file that has just been replaced."""
    journal = journal_path(path)
    try:
        if _is_journal(journal):
            journal.unlink()
            sync_folder(path.parent)
    except FileNotFoundError:
        return


def _is_journal(journal: Path) -> bool:
    with journal.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def _counted(file: BinaryIO, journal: Path, base: bytes) -> int:
    """How many bytes of a journal count: none if it goes with another file, or is a file of another kind."""
    for _ in range(_TRIES):
        file.seek(0)
        data = file.read(_HEADER.size)
        whole = data.ljust(_HEADER.size, b"\0")
        magic, of, size, checksum = _HEADER.unpack(whole)
        good = checksum == _header_checksum(of, size)
        if magic != _MAGIC and not good and len(data) >= len(_MAGIC):
            return 0
        if data == _header_bytes(of, size) and size >= _HEADER.size:
            return size if of == base else 0
        time.sleep(0.002)  # it may be written just now
    raise IndexFileError(
        f"{journal} is damaged: the checksum of its header is wrong; restore it, or delete it and lose its changes."
    )


def _header_bytes(base: bytes, size: int) -> bytes:
    return _HEADER.pack(_MAGIC, base, size, _header_checksum(base, size))


def _header_checksum(base: bytes, size: int) -> int:
    return zlib.crc32(base + size.to_bytes(8, "little"))


def _records(content: bytes, journal: Path) -> Iterator[Record]:
    begin = 0
    while begin < len(content):
        try:
            length, checksum = _RECORD.unpack_from(content, begin)
            payload = content[begin + _RECORD.size : begin + _RECORD.size + length]
            whole = len(payload) == length and zlib.crc32(payload) == checksum
            yield Record.decoded(payload if whole else b"", str(journal))
        except (struct.error, KeyError, ValueError) as error:
            raise IndexFileError(
                f"{journal} is damaged: the record at byte {begin + _HEADER.size} is wrong; restore it, or delete it "
                "and lose its changes."
            ) from error
        begin += _RECORD.size + length


def _flush(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())
