"""One writer at a time, across processes: a lock of the file itself, which ends with the process that holds it."""

from __future__ import annotations

import errno
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class FileLock:
    """A lock of the file under a name. No other file is made, so that none is left behind.

    A file may be replaced while one waits for its lock. Then the lock is that of a file without a name, and one waits
    for the lock of the new file. With `wait=False` a lock that another process holds is a BlockingIOError at once, and
    with `create=True` a file that does not exist is made, empty.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file, FileLock(Path(file.name)) as lock:
    ...     lock.is_of(Path(file.name))
    True
    """

    def __init__(self, path: Path, *, wait: bool = True, create: bool = False) -> None:
        self.path, self.wait, self.create = path, wait, create
        self._descriptor: int | None = None
        self._process = os.getpid()
        self._place = (0, 0, 0, 0)

    def __enter__(self) -> Self:
        while True:
            self._descriptor, self._process = _open(self.path, create=self.create), os.getpid()
            _DESCRIPTORS.add(self._descriptor)
            self._place = self._process, threading.get_ident(), *os.fstat(self._descriptor)[1:3]
            try:
                self._check_place()
                _lock(self._descriptor, wait=self.wait)
                if self.is_of(self.path):
                    _HELD.add(self._place)
                    return self
            except BaseException:
                self._release()
                raise
            self._release()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _HELD.discard(self._place)
        self._release()

    def is_of(self, path: Path) -> bool:
        """Whether this is the lock of the file that has this name now."""
        try:
            there = path.stat()
        except FileNotFoundError:
            return False
        if self._descriptor is None or self._process != os.getpid():
            return False
        ours = os.fstat(self._descriptor)
        return (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino)

    def _check_place(self) -> None:
        if self._place in _HELD:
            raise RuntimeError(f"{self.path} is locked by this thread itself; leave that block first.")

    def _release(self) -> None:
        if self._descriptor is not None and self._process == os.getpid():  # a fork has closed it already
            with suppress(OSError):  # where there are no locks
                _unlock(self._descriptor)
            _DESCRIPTORS.discard(self._descriptor)
            os.close(self._descriptor)
        self._descriptor = None


_HELD: set[tuple[int, int, int, int]] = set()
"""Process, thread, inode and device of each lock that is held: a thread that waits for itself waits for ever."""


_DESCRIPTORS: set[int] = set()
"""Files of the locks of this process. A fork closes them: else it would hold them after its parent is killed."""


def _close_in_fork() -> None:
    for descriptor in _DESCRIPTORS:
        os.close(descriptor)
    _DESCRIPTORS.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_in_fork)


def _open(path: Path, *, create: bool) -> int:
    try:
        return os.open(
            path, os.O_RDWR | (os.O_CREAT if create else 0), 0o666
        )  # as some network file systems want it for a lock
    except PermissionError:
        return os.open(path, os.O_RDONLY)


def _lock(descriptor: int, *, wait: bool) -> None:
    """Wait until nobody else holds the lock, or raise a BlockingIOError; without locks there is nobody to wait for."""
    if sys.platform == "win32":
        os.lseek(descriptor, 2**62, os.SEEK_SET)  # a byte beyond the end: there, a lock keeps nobody from reading
        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
            except OSError as error:  # given up after ten seconds
                if not wait:
                    raise BlockingIOError from error
                continue
            return
    else:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError as error:
            if error.errno not in (errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.ENOSYS):
                raise


def _unlock(descriptor: int) -> None:
    """Release the lock even if a forked process has the same file open."""
    if sys.platform == "win32":
        os.lseek(descriptor, 2**62, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
