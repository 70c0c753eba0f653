"""Atomic writes of folders, as `atomic` has them for files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypertorus.files.atomic import sync_folder
from hypertorus.files.exchange import exchange
from hypertorus.files.partial import old_of, partial_of, put_back, remove_abandoned


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Open an empty temporary folder that is renamed to `path` on success, and deleted on an error.

    An existing folder is replaced in one step. Where the system has no such step, the old folder is set aside for a
    moment, and if that moment is the last of the process, the next write puts it back. A temporary folder that a killed
    process left behind is deleted by a later write, after an hour.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     with whole_folder(Path(parent, "owls")) as folder:
    ...         _ = (folder / "1.txt").write_text("tu-whit")
    ...     os.listdir(parent), os.listdir(Path(parent, "owls"))
    (['owls'], ['1.txt'])
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    put_back(path)
    remove_abandoned(path)
    fresh = partial_of(path)
    fresh.mkdir()
    try:
        yield fresh
        _flush(fresh)
        if not path.exists():
            fresh.rename(path)
        elif not exchange(fresh, path):
            _replace(fresh, path)
        sync_folder(path.parent)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)  # what failed, or the old folder


def _replace(fresh: Path, path: Path) -> None:
    """Replace a folder where two names cannot be exchanged."""
    old = old_of(path)
    try:
        path.rename(old)
        fresh.rename(path)
    finally:
        put_back(path)
    old.rename(fresh)  # from here on it may be deleted


def _flush(folder: Path) -> None:
    """Make sure that what the folder holds survives a power cut."""
    for place, _, names in os.walk(folder):
        for name in names:
            with Path(place, name).open("rb+") as file:
                os.fsync(file.fileno())
        sync_folder(Path(place))
