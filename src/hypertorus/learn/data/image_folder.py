"""A folder of images, one folder a class."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import torch

from hypertorus.learn.data.data import Data
from hypertorus.learn.data.images import ImageFile, Images, size_for
from hypertorus.learn.data.split import stratified

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".gif", ".tif", ".tiff")
_TEST_FOLDERS = ("test", "val", "valid", "validation")


class Paths:
    """Image files on disk."""

    def __init__(self, paths: list[str]) -> None:
        self.paths = paths

    def at(self, rows: Sequence[int]) -> list[ImageFile]:
        return [ImageFile(self.paths[row]) for row in rows]


def read_image_folder(folder: Path, size: int | None = None, test_share: float = 0.2) -> Data:
    """The parts `train` and `test` (or `val`) if there are such folders, else a share of each class for testing.

    The names of class folders are the classes; what lies in folders within them belongs to them. Hidden files are
    ignored. `size` is the side of the squares that images become, see `size_for`.
    """
    parts = _parts(folder)
    found = [_files_by_class(part) for part in parts]
    classes = tuple(sorted({name for part in found for name in part}))
    if len(classes) < 2:
        raise ValueError(
            f"{folder} has the one class folder {classes[0]}; pass the folder that holds a folder for each class."
        )
    numbers = {name: number for number, name in enumerate(classes)}
    labelled = [(path, numbers[name]) for part in found for name, paths in part.items() for path in paths]
    labels = torch.tensor([number for _, number in labelled])
    files = Paths([path for path, _ in labelled])
    everything = Images(files, labels, size_for(files, len(labels)) if size is None else size)
    if len(found) == 1:
        train, test = stratified(labels, test_share)
    else:
        cut = sum(map(len, found[0].values()))
        train, test = torch.arange(cut), torch.arange(cut, len(labels))
    return Data(folder.resolve().name, everything.take(train), everything.take(test), classes)


def _parts(folder: Path) -> list[Path]:
    names = [entry.name for entry in _folders(folder)]
    test = next((name for name in _TEST_FOLDERS if name in names), None)
    if "train" in names and test:
        return [folder / "train", folder / test]
    return [folder / "train"] if names == ["train"] else [folder]


def _files_by_class(folder: Path) -> dict[str, list[str]]:
    found = {entry.name: _images(entry) for entry in _folders(folder)}
    if not found:
        raise ValueError(f"{folder} has no folders; put the images of each class into a folder of its name.")
    for name, paths in found.items():
        if not paths:
            raise ValueError(f"{folder / name} has no images ({', '.join(SUFFIXES)}); add some or remove the folder.")
    return found


def _folders(folder: Path) -> list[Path]:
    return sorted(entry for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith("."))


def _images(folder: Path) -> list[str]:
    found = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [
            str(Path(place, name)) for name in files if name.lower().endswith(SUFFIXES) and not name.startswith(".")
        ]
    return sorted(found)
