"""Atomic writes of folders, as `atomic` has them for files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypertorus.files.partial import partial_of, remove_abandoned


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Open an empty temporary folder that is renamed to `path` on success, and deleted on an error.

    An existing folder is replaced: for a moment there is none, never a mixed one. A temporary folder that a killed
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
    remove_abandoned(path)
    fresh, old = partial_of(path), partial_of(path)
    fresh.mkdir()
    try:
        yield fresh
        if path.exists():
            path.rename(old)
        fresh.rename(path)
    finally:
        if old.exists() and not path.exists():  # the new one could not take the name
            old.rename(path)
        for left in (fresh, old):
            shutil.rmtree(left, ignore_errors=True)
