"""What was added to an index and removed from it since it was last in step with its file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from hypertorus.search._lookup import Ids
from hypertorus.search._writer import WriterLock


class Change(NamedTuple):
    """Ids that were added or removed, and the version of the index that this made."""

    version: int
    added: bool
    ids: Ids


class Net(NamedTuple):
    """What a series of changes comes to: first these are removed, then those are added, in this order."""

    removed: Ids
    added: Ids


@dataclass
class Changes:
    """The changes since a version, as far as they were noted: too many to be worth it are forgotten."""

    known_since: int = 0
    _noted: list[Change] = field(default_factory=list)
    _ids: int = 0
    _lock: WriterLock = field(default_factory=WriterLock)

    def note(self, change: Change, most: int) -> None:
        """Keep a change, unless there are now more than `most` ids of changes; then all are forgotten."""
        with self._lock:
            self._noted.append(change)
            self._ids += len(change.ids)
            many = self._ids > most
        if many:
            self.lose(change.version)

    def lose(self, version: int) -> None:
        """Note a change that is more than ids, so that what led to this version is not known."""
        with self._lock:
            self._noted, self._ids, self.known_since = [], 0, version

    def forget(self, version: int) -> None:
        """Forget the changes up to this version."""
        with self._lock:
            self._noted = [change for change in self._noted if change.version > version]
            self._ids = sum(len(change.ids) for change in self._noted)
            self.known_since = max(self.known_since, version)

    def between(self, version: int, last: int) -> Net | None:
        """What the changes from one version to another come to, or None if that is not known any more."""
        with self._lock:
            if version < self.known_since:
                return None
            changes = [change for change in self._noted if version < change.version <= last]
        return net(changes)

    def copied(self) -> Changes:
        with self._lock:
            return Changes(self.known_since, list(self._noted), self._ids)


def net(changes: list[Change]) -> Net:
    """What these changes come to, one after the other.

    An id that was there before is removed first; one that is there in the end is added last, where it was last added.

    >>> net([Change(1, True, np.array([7, 8])), Change(2, False, np.array([3, 7])), Change(3, True, np.array([3]))])
    Net(removed=array([3]), added=array([8, 3]))
    """
    changes = [change for change in changes if len(change.ids)]
    if not changes:
        return Net(np.empty(0, np.int64), np.empty(0, np.int64))
    ids = np.concatenate([change.ids for change in changes])
    added = np.repeat([change.added for change in changes], [len(change.ids) for change in changes])
    order = np.argsort(ids, kind="stable")
    new = np.diff(ids[order]) != 0
    first, last = order[np.append(True, new)], order[np.append(new, True)]
    return Net(ids[first[~added[first]]], ids[np.sort(last[added[last]])])
