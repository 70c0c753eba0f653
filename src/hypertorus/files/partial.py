"""Temporary names of files and folders until they are complete, and the removal of those that were abandoned."""

from __future__ import annotations

import glob
import os
import shutil
import time
from pathlib import Path

ABANDONED_SECONDS = 3600


def partial_of(path: Path) -> Path:
    """Return a new hidden name beside `path`."""
    return path.with_name(f".{path.name}.{os.urandom(4).hex()}.partial")


def remove_abandoned(path: Path) -> None:
    """Remove temporary files and folders of this path that have not been written to for an hour."""
    for partial in path.parent.glob(f".{glob.escape(path.name)}.????????.partial"):
        try:
            if time.time() - partial.stat().st_mtime > ABANDONED_SECONDS:
                if partial.is_dir():
                    shutil.rmtree(partial, ignore_errors=True)
                else:
                    partial.unlink()
        except OSError:  # another process was quicker, or it is not ours to remove
            continue
