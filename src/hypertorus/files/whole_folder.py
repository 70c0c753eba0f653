"""A folder that is there whole or not at all, as `atomic` has it for a file."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ABANDONED_SECONDS = 3600


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """An empty folder beside `path` that takes its name when all went well, and is gone otherwise.

    A folder that has the name already is replaced: for a moment there is none, never a mixed one. What a killed
    process left behind is swept away by the next that comes an hour later.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as here:
    ...     with whole_folder(Path(here, "owls")) as folder:
    ...         _ = (folder / "1.txt").write_text("tu-whit")
    ...     os.listdir(here), os.listdir(Path(here, "owls"))
    (['owls'], ['1.txt'])
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path)
    fresh, old = (path.with_name(f".{path.name}.{os.urandom(4).hex()}.partial") for _ in range(2))
    fresh.mkdir()
    try:
        yield fresh
        if path.exists():
            path.rename(old)
        fresh.rename(path)
    finally:
        for left in (fresh, old):
            shutil.rmtree(left, ignore_errors=True)


def _sweep(path: Path) -> None:
    for entry in path.parent.iterdir():
        name = entry.name
        if name.startswith(f".{path.name}.") and name.endswith(".partial") and entry.is_dir():
            try:
                abandoned = time.time() - entry.stat().st_mtime > ABANDONED_SECONDS
            except OSError:  # another process was quicker
                continue
            if abandoned:
                shutil.rmtree(entry, ignore_errors=True)
