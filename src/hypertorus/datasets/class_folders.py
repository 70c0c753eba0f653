"""Files in folders, one folder a class, below folders to train and to test if there are such."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hypertorus.embeddings.part_names import TRAIN_NAME, train_and_test


def part_folders(folder: Path) -> list[Path]:
    """The folders `train` and `test` (or `val`), or the one that holds everything."""
    names = [entry.name for entry in _folders(folder)]
    if parts := train_and_test(names):
        return [folder / part for part in parts]
    return [folder / TRAIN_NAME] if names == [TRAIN_NAME] else [folder]


def files_by_class(folder: Path, suffixes: tuple[str, ...], what: str) -> dict[str, list[str]]:
    """The paths in each class folder; what lies in folders within it belongs to it, and hidden files are ignored."""
    found = {entry.name: files_in(entry, suffixes) for entry in _folders(folder)}
    if not found:
        raise ValueError(f"{folder} has no folders; put the {what} of each class into a folder of its name.")
    for name, paths in found.items():
        if not paths:
            raise ValueError(f"{folder / name} has no {what} ({', '.join(suffixes)}); add some or remove the folder.")
    return found


def class_names(parts: list[dict[str, list[str]]], folder: Path) -> tuple[str, ...]:
    """All classes in order, of which there must be two."""
    classes = tuple(sorted({name for part in parts for name in part}))
    if len(classes) < 2:
        raise ValueError(
            f"{folder} has the one class folder {classes[0]}; pass the folder that holds a folder for each class."
        )
    return classes


def files_in(folder: Path, suffixes: tuple[str, ...]) -> list[str]:
    found = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [
            str(Path(place, name)) for name in files if name.lower().endswith(suffixes) and not name.startswith(".")
        ]
    return sorted(found)


def relative_names(paths: Sequence[str], folder: Path) -> npt.NDArray[np.str_]:
    """Paths as they are called within a folder, with `/` on every system."""
    return np.array([Path(os.path.relpath(path, folder)).as_posix() for path in paths], np.str_)


def _folders(folder: Path) -> list[Path]:
    return sorted(entry for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith("."))
