"""Atomic writes: a file is replaced completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from hypertorus.files.partial import partial_of, remove_abandoned


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `path` on success, and is deleted on an error.

    It lies in the same folder under a hidden name; one that a killed process left behind is deleted by a later write. A
    symbolic link stays a link, and the file that it points to is replaced.
    """
    path = path.resolve()
    remove_abandoned(path)
    partial = partial_of(path)
    try:
        with partial.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)  # the new name itself must survive a power cut
        finally:
            os.close(folder)
