"""Shards of other machines, kept on this one under their checksum, so that each is fetched once."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from hypertorus.files.atomic import replacing
from hypertorus.files.cache import cache_folder
from hypertorus.files.tensors import TensorFile, TensorFileError


def cached_file(files: Any, path: str, checksum: str) -> Path:
    """Return a file of this machine with the contents of `path` in a file system of fsspec.

    A file is the right one if its header has the checksum; whoever opens it checks the rest by its header. What is
    there and is another file, or is damaged within its header, is fetched anew.
    """
    kept = cache_folder("shards") / f"{checksum}.index"
    if not _has_checksum(kept, checksum):
        kept.parent.mkdir(parents=True, exist_ok=True)
        with files.open(path, "rb") as source, replacing(kept) as target:
            shutil.copyfileobj(source, target, _BYTES_AT_ONCE)
    return kept


_BYTES_AT_ONCE = 2**22


def _has_checksum(path: Path, checksum: str) -> bool:
    try:
        return TensorFile(path).header_sha256().hex() == checksum
    except (FileNotFoundError, TensorFileError):
        return False
