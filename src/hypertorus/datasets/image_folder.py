"""Reads a folder of images, with a folder for each class."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from hypertorus.datasets.class_folders import class_names, files_by_class, part_folders, relative_names
from hypertorus.datasets.data import Data
from hypertorus.datasets.images import ImageFile, Images, size_for
from hypertorus.datasets.kinds import IMAGES
from hypertorus.datasets.part import Columns
from hypertorus.datasets.readable_images import readable_images
from hypertorus.embeddings.split import stratified
from hypertorus.files.progress import Progress


class Paths:
    """Image files on disk."""

    def __init__(self, paths: list[str]) -> None:
        self.paths = paths

    def at(self, rows: Sequence[int]) -> list[ImageFile]:
        return [ImageFile(self.paths[row]) for row in rows]


def read_image_folder(
    folder: Path, size: int | None = None, test_share: float = 0.2, progress: Progress | None = None
) -> Data:
    """Return the parts `train` and `test` (or `val`) if there are such folders; else a share of each class is tested.

    The names of class folders are the classes; images may lie in folders within them. Hidden files are ignored. Images
    become squares of `size` pixels, see `size_for`. Those that cannot be read are left out with a warning.
    """
    parts = _readable([files_by_class(part, IMAGES, "images") for part in part_folders(folder)], folder, progress)
    classes = class_names(parts, folder)
    numbers = {name: number for number, name in enumerate(classes)}
    labelled = [(path, numbers[name]) for part in parts for name, paths in part.items() for path in paths]
    labels = torch.tensor([number for _, number in labelled])
    files = Paths([path for path, _ in labelled])
    columns = Columns(labels, names=relative_names(files.paths, folder), places=torch.arange(len(labels)))
    everything = Images(files, columns, size_for(files, len(labels)) if size is None else size)
    if len(parts) == 1:
        train, test = stratified(labels, test_share)
    else:
        train, test = np.split(np.arange(len(labels)), [sum(map(len, parts[0].values()))])
    return Data(folder.resolve().name, everything.take(train), everything.take(test), classes)


def _readable(parts: list[dict[str, list[str]]], folder: Path, progress: Progress | None) -> list[dict[str, list[str]]]:
    """Return the images of each part and class that can be read."""
    every = [path for part in parts for paths in part.values() for path in paths]
    kept = set(readable_images(every, str(folder), progress))
    readable = [{name: [path for path in paths if path in kept] for name, paths in part.items()} for part in parts]
    empty = next((name for part in readable for name, paths in part.items() if not paths), None)
    if empty is not None:
        raise ValueError(f"none of the images of the class {empty} in {folder} could be read; replace them.")
    return readable
