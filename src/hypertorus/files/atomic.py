"""A file that is replaced whole or not at all."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to that takes the place of `path` when all went well, and is gone otherwise.

    It lies in the same folder under a name of its own. What a killed process left there is swept away later. A link
    stays a link: what it leads to is replaced.
    """
    path = path.resolve()
    _sweep(path)
    partial = path.with_name(f".{path.name}.{os.urandom(4).hex()}.partial")
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


_ABANDONED_SECONDS = 3600


def _sweep(path: Path) -> None:
    """Remove files that a save of this path began and has not written to for an hour."""
    for partial in path.parent.glob(f".{_literal(path.name)}.????????.partial"):
        try:
            if time.time() - partial.stat().st_mtime > _ABANDONED_SECONDS:
                partial.unlink()
        except OSError:  # another process was quicker, or it is not ours to remove
            continue


def _literal(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)
