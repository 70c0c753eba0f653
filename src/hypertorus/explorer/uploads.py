"""Files that were dropped on the page: a few at a time, bounded in size, in a folder of their own until the end."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request

LARGEST = 256 << 20
"""Size of an upload in bytes, at most; half an hour of .wav."""
KEPT = 8
"""Number of uploads that are kept; the oldest goes first."""


class Upload(NamedTuple):
    """A dropped file, under a name of ours; the name that it had is only shown."""

    path: Path
    name: str


class Uploads:
    """Dropped files by their numbers, in a folder that is made for the first of them and deleted by `close`."""

    def __init__(self, largest: int = LARGEST) -> None:
        self.largest = largest
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._files: dict[int, Upload] = {}
        self._next = 0
        self._lock = threading.Lock()

    async def add(self, request: Request, name: str, suffixes: tuple[str, ...]) -> int:
        """Write the body of a request to a file, and return its number."""
        suffix = Path(name).suffix.lower()
        if suffix not in suffixes:
            raise ValueError(f"{name} is not one of {', '.join(suffixes)}; drop such a file.")
        with self._lock:
            number, self._next = self._next, self._next + 1
            self._folder = self._folder or tempfile.TemporaryDirectory(prefix="hypertorus-explore-")
        path = Path(self._folder.name) / f"{number}{suffix}"
        try:
            with path.open("xb") as file:
                async for piece in bounded(request, self.largest):
                    file.write(piece)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        with self._lock:
            self._files[number] = Upload(path, name)
            while len(self._files) > KEPT:
                self._files.pop(min(self._files)).path.unlink(missing_ok=True)
        return number

    def __getitem__(self, number: int) -> Upload:
        if number not in self._files:
            raise ValueError(f"file {number} is no longer here; drop it again.")
        return self._files[number]

    def remove(self, number: int) -> None:
        with self._lock:
            self._files.pop(number).path.unlink(missing_ok=True)

    def close(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()


async def bounded(request: Request, largest: int) -> AsyncIterator[bytes]:
    """Yield the body of a request in pieces, and refuse it as soon as it is larger than allowed."""
    too_large = HTTPException(413, f"This is larger than {largest >> 20} MB; cut it or take a shorter one.")
    if int(request.headers.get("content-length", "0")) > largest:
        raise too_large
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > largest:
            raise too_large
        yield piece
