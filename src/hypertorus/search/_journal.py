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
from hypertorus.search._file import IndexFileError
from hypertorus.search._lookup import Ids

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


def journal_path(path: Path) -> Path:
    """Where the journal of the index in this file is; the file is not a symbolic link."""
    return path.with_name(shortened(path.name, len(".journal")) + ".journal")


def read_journal(path: Path, base: bytes) -> tuple[int, list[Record]]:
    """How many bytes of the journal beside a file count, and the records in them; 0 if there is none for this file."""
    journal = journal_path(path)
    try:
        with journal.open("rb") as file:
            of, size = _header(file, journal)
            if of != base:
                return 0, []
            content = file.read(size - _HEADER.size)
    except FileNotFoundError:
        return 0, []
    if len(content) < size - _HEADER.size:
        raise IndexFileError(f"{journal} is damaged: it was cut short; restore it, or delete it and lose its changes.")
    return size, list(_records(content, journal))


def journal_size(path: Path, base: bytes) -> int:
    """How many bytes of the journal beside a file count."""
    try:
        with journal_path(path).open("rb") as file:
            of, size = _header(file, journal_path(path))
    except FileNotFoundError:
        return 0
    return size if of == base else 0


def append_record(path: Path, base: bytes, size: int, record: bytes) -> int:
    """Write a record behind the `size` bytes that count, and return how many count now. The caller holds the lock."""
    journal = journal_path(path)
    if size == 0:
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
    try:
        journal_path(path).unlink()
    except FileNotFoundError:
        return
    sync_folder(path.parent)


def _header(file: BinaryIO, journal: Path) -> tuple[bytes, int]:
    """The file that a journal goes with, and how many of its bytes count."""
    for _ in range(_TRIES):
        file.seek(0)
        data = file.read(_HEADER.size)
        if len(data) == _HEADER.size:
            magic, base, size, _ = _HEADER.unpack(data)
            if magic == _MAGIC and data == _header_bytes(base, size) and size >= _HEADER.size:
                return base, size
        if data[: len(_MAGIC)] != _MAGIC:
            raise IndexFileError(f"{journal} is no journal of an index; move it to another place.")
        time.sleep(0.002)  # it may be written just now
    raise IndexFileError(
        f"{journal} is damaged: the checksum of its header is wrong; restore it, or delete it and lose its changes."
    )


def _header_bytes(base: bytes, size: int) -> bytes:
    return _HEADER.pack(_MAGIC, base, size, zlib.crc32(base + size.to_bytes(8, "little")))


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
