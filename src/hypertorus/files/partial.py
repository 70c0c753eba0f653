"""Names under which files and folders are written until they are whole, and what a killed process left of such."""

from __future__ import annotations

import glob
import os
import shutil
import time
from pathlib import Path

ABANDONED_SECONDS = 3600


def partial_of(path: Path) -> Path:
    """A fresh hidden name beside `path`."""
    return path.with_name(f".{path.name}.{os.urandom(4).hex()}.partial")


def remove_abandoned(path: Path) -> None:
    """Remove what was begun for this path under such names and has not been written to for an hour."""
    for partial in path.parent.glob(f".{glob.escape(path.name)}.????????.partial"):
        try:
            if time.time() - partial.stat().st_mtime > ABANDONED_SECONDS:
                if partial.is_dir():
                    shutil.rmtree(partial, ignore_errors=True)
                else:
                    partial.unlink()
        except OSError:  # another process was quicker, or it is not ours to remove
            continue
