"""The locks of those who change an index: after a fork, the child's are free whoever held them in the parent."""

from __future__ import annotations

import os
from contextlib import suppress
from threading import Lock, RLock
from types import TracebackType
from weakref import WeakSet


class WriterLock:
    """A lock of threads. A thread that holds it does not exist in a forked child, where nobody could release it."""

    def __init__(self, *, reentrant: bool = False) -> None:
        self._make = RLock if reentrant else Lock
        self._lock = self._make()
        _LOCKS.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with suppress(RuntimeError):  # it is a new one if its own holder has forked
            self._lock.release()

    def renew(self) -> None:
        self._lock = self._make()


_LOCKS: WeakSet[WriterLock] = WeakSet()


def _renew_all() -> None:
    for lock in list(_LOCKS):
        lock.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
