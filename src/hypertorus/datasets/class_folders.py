"""Lists files in class folders, one folder per class, below `train` and `test` folders if there are any."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hypertorus.embeddings.part_names import TRAIN_NAME, train_and_test


def part_folders(folder: Path) -> list[Path]:
    """Return the folders `train` and `test` (or `val`), or the one that holds everything."""
    names = [entry.name for entry in _folders(folder)]
    if parts := train_and_test(names):
        return [folder / part for part in parts]
    return [folder / TRAIN_NAME] if names == [TRAIN_NAME] else [folder]


def files_by_class(folder: Path, suffixes: tuple[str, ...], what: str) -> dict[str, list[str]]:
    """Return the paths in each class folder and the folders within it; hidden files are ignored."""
    paths_by_class = {entry.name: files_in(entry, suffixes) for entry in _folders(folder)}
    if not paths_by_class:
        raise ValueError(f"{folder} has no folders; put the {what} of each class into a folder of its name.")
    for name, paths in paths_by_class.items():
        if not paths:
            raise ValueError(f"{folder / name} has no {what} ({', '.join(suffixes)}); add some or remove the folder.")
    return paths_by_class


def class_names(parts: list[dict[str, list[str]]], folder: Path) -> tuple[str, ...]:
    """Return all classes in order; there must be at least two."""
    classes = tuple(sorted({name for part in parts for name in part}))
    if len(classes) < 2:
        raise ValueError(
            f"{folder} has only the class folder {classes[0]}; pass the folder that holds a folder for each class."
        )
    return classes


def files_in(folder: Path, suffixes: tuple[str, ...]) -> list[str]:
    """Return the sorted paths of all files with these suffixes, at any depth; hidden files are ignored."""
    paths = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths += [
            str(Path(place, name)) for name in files if name.lower().endswith(suffixes) and not name.startswith(".")
        ]
    return sorted(paths)


def relative_names(paths: Sequence[str], folder: Path) -> npt.NDArray[np.str_]:
    """Return paths relative to a folder, with `/` on every system."""
    return np.array([Path(os.path.relpath(path, folder)).as_posix() for path in paths], np.str_)


def _folders(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}; pass one with a folder for each class.")
    return sorted(entry for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith("."))
