"""Whether something can be written at a place, which is asked before the work and not after it."""

from __future__ import annotations

import os
from pathlib import Path


def problem_of_file(path: Path) -> str | None:
    """Return why no file can be written there, or None if one can.

    >>> problem_of_file(Path("no-such-folder/owls.npy"))
    'there is no folder no-such-folder'
    """
    return problem_of_folder(path.parent) if path.parent.exists() else f"there is no folder {path.parent}"


def problem_of_folder(path: Path) -> str | None:
    """Return why no folder can be made or filled there, or None if it can; missing folders above it are made, too.

    >>> problem_of_folder(Path("/dev/null/model"))
    '/dev/null is a file'
    """
    nearest = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
    if not nearest.is_dir():
        return f"{nearest} is a file"
    if not os.access(nearest, os.W_OK | os.X_OK):
        return f"you may not write to {nearest}"
    return None
