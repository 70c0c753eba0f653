"""Where things are kept that can be had again: folders of the user's cache."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(name: str) -> Path:
    """The folder of that name, under $XDG_CACHE_HOME if that is set; it need not exist yet."""
    given = os.environ.get("XDG_CACHE_HOME")
    return (Path(given) if given else Path.home() / ".cache") / "hypertorus" / name
