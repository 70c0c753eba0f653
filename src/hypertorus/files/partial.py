"""Temporary names of files and folders until they are complete, and the removal of those that were abandoned."""

from __future__ import annotations

import glob
import hashlib
import os
import shutil
import time
from pathlib import Path

ABANDONED_SECONDS = 3600
_LONGEST_NAME = 255  # bytes, on nearly all file systems


def partial_of(path: Path) -> Path:
    """Return a new hidden name beside `path`."""
    return path.with_name(f".{_stem(path)}.{os.urandom(4).hex()}.partial")


def old_of(path: Path) -> Path:
    """Return a new hidden name beside `path` for the folder that is there, while another takes its name."""
    return path.with_name(f".{_stem(path)}.{os.urandom(4).hex()}.old")


def put_back(path: Path) -> None:
    """Give a folder its name back if a killed process set it aside and put nothing in its place."""
    set_aside = sorted(path.parent.glob(f".{glob.escape(_stem(path))}.????????.old"), key=_written)
    if set_aside and not path.exists():
        set_aside[-1].rename(path)


def remove_abandoned(path: Path) -> None:
    """Remove temporary files and folders of this path that have not been written to for an hour."""
    for partial in path.parent.glob(f".{glob.escape(_stem(path))}.????????.partial"):
        try:
            if time.time() - _written(partial) > ABANDONED_SECONDS:
                if partial.is_dir():
                    shutil.rmtree(partial, ignore_errors=True)
                else:
                    partial.unlink()
        except OSError:  # another process was quicker, or it is not ours to remove
            continue


def _written(path: Path) -> float:
    """Return when a file, or anything in a folder, was last written to."""
    times = [path.stat().st_mtime]
    for place, folders, files in os.walk(path):
        times += [Path(place, name).lstat().st_mtime for name in (*folders, *files)]
    return max(times)


def _stem(path: Path) -> str:
    return shortened(path.name, len("..12345678.partial"))


def shortened(name: str, added: int) -> str:
    """Return the name or, if `added` more bytes would make it too long for a file, its start and a hash of all of it.

    >>> shortened("owls.index", 18)
    'owls.index'
    >>> len(shortened("owls" * 60, 18))
    237
    """
    room = _LONGEST_NAME - added
    encoded = os.fsencode(name)
    if len(encoded) <= room:
        return name
    digest = hashlib.sha256(encoded).hexdigest()[:16]
    return encoded[: room - len(digest) - 1].decode(errors="ignore") + "~" + digest
