"""Atomic writes: a file is replaced completely or not at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from hypertorus.files.partial import partial_of, remove_abandoned


@contextmanager
def replacing(path: Path, *, like: Path | None = None) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `path` on success, and is deleted on an error.

    It lies in the same folder under a hidden name; one that a killed process left behind is deleted by a later write. A
    symbolic link stays a link, and the file that it points to is replaced; the new file has the mode of the old one or,
    if there is none, of the file `like`. A pipe or a device is an error, because a file would take its place.
    """
    path = path.resolve()
    before = _regular(path) or (None if like is None else _regular(like))
    remove_abandoned(path)
    partial = partial_of(path)
    try:
        with _opened(partial, before) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise _named(path, partial, error) or error from error
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def _named(path: Path, partial: Path, error: OSError) -> OSError | None:
    """Return an error that names the file and the fix, if the disk is full or the temporary file cannot be made."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        fix = "free some space, and run it again"
    elif error.errno is not None and error.filename == str(partial):
        fix = "choose another place"
    else:
        return None
    named = type(error)(f"{path} could not be written ({os.strerror(error.errno)}); {fix}.")
    named.errno = error.errno
    return named


def sync_folder(folder: Path) -> None:
    """Make sure that the names in a folder survive a power cut."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _regular(path: Path) -> os.stat_result | None:
    """What is known of the file that will be replaced, or None if there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        kind = "pipe" if stat.S_ISFIFO(found.st_mode) else "device or socket"
        raise ValueError(f"{path} is a {kind}, which a file would replace; write to a file instead.")
    return found


def _opened(partial: Path, before: os.stat_result | None) -> BinaryIO:
    """A new file, from its first moment no more readable than the one before it."""
    if before is None or not stat.S_ISREG(before.st_mode):
        return partial.open("xb")
    mode = stat.S_IMODE(before.st_mode)
    file = open(partial, "xb", opener=lambda path, flags: os.open(path, flags, mode & 0o777))  # noqa: SIM115
    if hasattr(os, "fchmod"):
        with suppress(PermissionError):  # the owner changes only for root; others keep what they write
            os.fchown(file.fileno(), before.st_uid, before.st_gid)
        os.fchmod(file.fileno(), mode)
    return file
