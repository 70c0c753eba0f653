"""Folders of the user's cache, for files that can be downloaded or computed again."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(name: str) -> Path:
    """Return the cache folder of that name, under $XDG_CACHE_HOME if that is set; it may not exist yet."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "hypertorus" / name
