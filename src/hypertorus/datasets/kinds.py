"""Tells images, sounds and texts apart by the names of files and columns."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".gif", ".tif", ".tiff")
SOUND_FILES = (".wav", ".flac", ".ogg", ".mp3")
SOUNDS = (*SOUND_FILES, ".pt")
_LIST_OF_SOUNDS = {"path", "label", "start", "end", "group"}
"""Columns of a .csv that lists sounds; a .csv of vectors has others, too."""

TEXT, LABEL, PAIR = "text", "label", ("anchor", "positive")
"""Columns of a file of texts: each with a label, or in pairs. Those of a .csv of vectors or sounds are others, too."""
_BESIDE_TEXTS = {TEXT, LABEL, "part", "split", "group"}


def holds_sounds(path: Path) -> bool:
    """Return whether a path is a folder of sounds, a .pt file, or a .csv that lists sounds in a column `path`.

    In a folder the first file that is an image or a sound decides.
    """
    if path.is_dir():
        return _first_is_sound(path)
    if path.suffix == ".csv" and path.is_file():
        columns = _header(path)
        return "path" in columns and columns <= _LIST_OF_SOUNDS
    return path.suffix == ".pt" and path.is_file()


def holds_texts(path: Path) -> bool:
    """Return whether a path is a .txt, or a .csv, .tsv or .jsonl with a column text, or anchor and positive."""
    if path.suffix == ".txt":
        return path.is_file()
    if path.suffix not in (".csv", ".tsv", ".jsonl") or not path.is_file():
        return False
    columns = _header(path)
    return set(PAIR) <= columns or (TEXT in columns and (path.suffix != ".csv" or columns <= _BESIDE_TEXTS))


def _header(path: Path) -> set[str]:
    """Return the names of the columns, as far as they can be read; whoever reads the table says what is wrong."""
    with path.open(newline="", encoding="utf-8-sig", errors="replace") as lines:
        try:
            if path.suffix == ".jsonl":
                return {name.lower() for name in json.loads(next(lines, "{}"))}
            return {name.strip().lower() for name in next(csv.reader(lines, delimiter=_DELIMITERS[path.suffix]), [])}
        except (csv.Error, ValueError, TypeError, AttributeError):
            return set()


_DELIMITERS = {".csv": ",", ".tsv": "\t"}


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
