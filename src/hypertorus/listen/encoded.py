"""What was encoded so far: a journal beside an index of sounds that is being made, by which a killed run resumes.

A record is 8 bytes of length, a safetensors file with the codes of a clip, and 4 bytes of CRC-32. Records are appended
one after the other; the first that is cut short or damaged is the end. The first of all says of which model and codes
they are, and a run with another model begins anew.
"""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np

from hypertorus.files.lock import FileLock
from hypertorus.files.partial import shortened
from hypertorus.files.tensors import TensorFile, tensor_bytes
from hypertorus.listen.encode import EncodedClip
from hypertorus.sound.clip import Clip

_LENGTH, _CHECKSUM = 8, 4
FORMAT = "hypertorus-encoded"


def journal_path(place: Path) -> Path:
    """Return the hidden file beside an index of sounds in which a run keeps what it has encoded."""
    place = place.resolve()
    return place.with_name(f".{shortened(place.name, len('..encoded'))}.encoded")


class EncodedClips:
    """The clips in a journal, to which one process at a time adds; whoever saves the index removes the file."""

    def __init__(self, path: Path, **settings: Any) -> None:
        self.path, self._settings = path, json.dumps(settings, sort_keys=True)
        self._clips: dict[str, EncodedClip] = {}
        self._stamps: dict[str, str] = {}
        self._added = 0
        self._lock = FileLock(path, wait=False, create=True)
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._lock.__enter__()
        except BlockingIOError as error:
            raise ValueError(f"another process is making this index ({self.path}); wait until it is done.") from error
        try:
            self._file = self.path.open("r+b")
            whole = self._read(self._file)
            self._file.seek(whole)
            self._file.truncate()
            if whole == 0:
                self._append({}, {"settings": self._settings})
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
            if not self._clips and not self._added:  # nothing to resume
                self.path.unlink(missing_ok=True)
        self._lock.__exit__(kind, error, at)

    def __len__(self) -> int:
        return len(self._clips)

    def get(self, clip: Clip) -> EncodedClip | None:
        """Return a clip that was encoded and whose recording has not changed since."""
        return self._clips.get(self._key(clip))

    def add(self, piece: EncodedClip) -> None:
        """Append a clip; it is there for the next run as soon as this returns."""
        tensors = {"codes": np.ascontiguousarray(piece.codes), "silent": piece.silent}
        self._added += 1
        self._append(tensors, {"key": self._key(piece.clip), "seconds": repr(piece.seconds)})

    def _append(self, tensors: dict[str, Any], metadata: dict[str, str]) -> None:
        assert self._file is not None, "a journal is written to within its block"
        content = b"".join(tensor_bytes(tensors, {"format": FORMAT, **metadata}))
        self._file.write(len(content).to_bytes(_LENGTH, "little") + content + zlib.crc32(content).to_bytes(4, "little"))
        self._file.flush()

    def _read(self, file: BinaryIO) -> int:
        """Read the records that are whole and of these settings, and return how many bytes they are."""
        whole, size = 0, os.fstat(file.fileno()).st_size
        while whole + _LENGTH <= size:
            length = int.from_bytes(file.read(_LENGTH), "little")
            if whole + _LENGTH + length + _CHECKSUM > size:
                break
            content = file.read(length)
            if zlib.crc32(content).to_bytes(_CHECKSUM, "little") != file.read(_CHECKSUM):
                break
            try:
                record = TensorFile.of(content, str(self.path))
                if whole == 0 and record.metadata.get("settings") != self._settings:
                    return 0
                if whole:
                    self._keep(record)
            except (ValueError, KeyError):
                break
            whole += _LENGTH + length + _CHECKSUM
        return whole

    def _keep(self, record: TensorFile) -> None:
        key = record.metadata["key"]
        clip = Clip(*json.loads(key)[:3])
        self._clips[key] = EncodedClip(
            clip, record["codes"].copy(), float(record.metadata["seconds"]), record["silent"].copy()
        )

    def _key(self, clip: Clip) -> str:
        """Return what identifies a clip: its place, and when and how large its recording was."""
        if clip.path not in self._stamps:
            try:
                status = Path(clip.path).stat()
                self._stamps[clip.path] = f"{status.st_size} {status.st_mtime_ns}"
            except OSError:  # it will be reported when it is read
                self._stamps[clip.path] = "absent"
        return json.dumps([clip.path, clip.start, clip.end, self._stamps[clip.path]])
