"""What lies at a path, images or sounds, told by names alone."""

from __future__ import annotations

import csv
import os
from pathlib import Path

IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".gif", ".tif", ".tiff")
SOUNDS = (".wav", ".flac", ".ogg", ".mp3", ".pt")


def holds_sounds(path: Path) -> bool:
    """Whether it is a folder of sounds, a .pt file, or a .csv with a column `path`, which no file of numbers has.

    In a folder the first file that is an image or a sound decides.
    """
    if path.is_dir():
        return _first_is_sound(path)
    if path.suffix == ".csv" and path.is_file():
        with path.open(newline="", encoding="utf-8-sig", errors="replace") as lines:
            return "path" in next(csv.reader(lines), [])
    return path.suffix == ".pt" and path.is_file()


def _first_is_sound(folder: Path) -> bool:
    for _, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and name.lower().endswith((*IMAGES, *SOUNDS)):
                return name.lower().endswith(SOUNDS)
    return False
