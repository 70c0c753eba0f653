"""A folder that is there whole or not at all, as `atomic` has it for a file."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypertorus.files.partial import partial_of, remove_abandoned


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """An empty folder beside `path` that takes its name when all went well, and is gone otherwise.

    A folder that has the name already is replaced: for a moment there is none, never a mixed one. What a killed
    process left behind is swept away by the next that comes an hour later.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as here:
    ...     with whole_folder(Path(here, "owls")) as folder:
    ...         _ = (folder / "1.txt").write_text("tu-whit")
    ...     os.listdir(here), os.listdir(Path(here, "owls"))
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
