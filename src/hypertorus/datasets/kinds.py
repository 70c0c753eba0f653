"""Tells images from sounds by the names of files."""

from __future__ import annotations

import csv
import os
from pathlib import Path

IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".gif", ".tif", ".tiff")
SOUND_FILES = (".wav", ".flac", ".ogg", ".mp3")
SOUNDS = (*SOUND_FILES, ".pt")
_LIST_OF_SOUNDS = {"path", "label", "start", "end", "group"}
"""Columns of a .csv that lists sounds; a .csv of vectors has others, too."""


def holds_sounds(path: Path) -> bool:
    """Return whether a path is a folder of sounds, a .pt file, or a .csv that lists sounds in a column `path`.

    In a folder the first file that is an image or a sound decides.
    """
    if path.is_dir():
        return _first_is_sound(path)
    if path.suffix == ".csv" and path.is_file():
        with path.open(newline="", encoding="utf-8-sig", errors="replace") as lines:
            try:
                columns = next(csv.reader(lines), [])
            except csv.Error:  # whoever reads the table says what is wrong with it
                return False
            return "path" in columns and set(columns) <= _LIST_OF_SOUNDS
    return path.suffix == ".pt" and path.is_file()


def _first_is_sound(folder: Path) -> bool:
    for _, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and name.lower().endswith((*IMAGES, *SOUNDS)):
                return name.lower().endswith(SOUNDS)
    return False


def has_classes(folder: Path) -> bool:
    """Return whether a folder holds folders, and no images or sounds beside them."""
    entries = [entry for entry in folder.iterdir() if not entry.name.startswith(".")]
    if any(entry.is_file() and entry.name.lower().endswith((*IMAGES, *SOUNDS)) for entry in entries):
        return False
    return any(entry.is_dir() for entry in entries)
