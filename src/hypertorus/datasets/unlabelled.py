"""Reads inputs without classes from a file, a list of files, a folder of any depth, or an array file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from hypertorus.datasets.array_file import read_array_rows
from hypertorus.datasets.class_folders import files_in, relative_names
from hypertorus.datasets.kinds import IMAGES, SOUND_FILES
from hypertorus.datasets.part import UNKNOWN, Columns, Part
from hypertorus.files.progress import Progress
from hypertorus.files.suffixes import is_array_file

Source = str | os.PathLike[str]


def read_unlabelled(
    source: Source | Sequence[Source],
    *,
    size: int | None = None,
    sound: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Part:
    """Return the inputs at a path, or at a list of paths, in the order of the list or of the sorted paths.

    `sound` has the settings of the ear for sound files, `size` is the height and width of images in pixels. The names
    of inputs are their paths within the folder, or the paths of the list.
    """
    if isinstance(source, str | os.PathLike):
        place = Path(source).expanduser()
        if is_array_file(os.fspath(source)):
            return read_array_rows(os.fspath(source))
        if not place.exists():
            raise FileNotFoundError(f"{place} does not exist; pass a file, a folder, or a list of files.")
        suffixes = IMAGES if sound is None else SOUND_FILES
        paths = files_in(place, suffixes) if place.is_dir() else [str(place)]
        if not paths:
            what = "images" if sound is None else "sounds"
            raise ValueError(f"{place} has no {what} ({', '.join(suffixes)}); pass a folder that has some.")
        names = relative_names(paths, place) if place.is_dir() else relative_names(paths, place.parent)
    else:
        paths = [os.fspath(path) for path in source]
        if not paths:
            raise ValueError("the list of files is empty; pass at least one.")
        names = relative_names(paths, Path.cwd()) if all(map(os.path.isabs, paths)) else _with_slashes(paths)
    if sound is not None:
        from hypertorus.datasets.sounds import Sounds
        from hypertorus.sound.clip import Clip

        labels = torch.full((len(paths),), UNKNOWN)
        return Sounds("sounds", [Clip(path) for path in paths], labels, (), names=names).inputs(sound, progress)[0]
    from hypertorus.datasets.image_folder import Paths
    from hypertorus.datasets.images import Images, size_for
    from hypertorus.datasets.readable_images import readable_images

    known = dict(zip(paths, names.tolist(), strict=True))
    paths = readable_images(paths, "this list" if not isinstance(source, str | os.PathLike) else str(source), progress)
    labels, names = torch.full((len(paths),), UNKNOWN), np.array([known[path] for path in paths], np.str_)
    files, columns = Paths(paths), Columns(labels, names=names, places=torch.arange(len(paths)))
    return Images(files, columns, size_for(files, len(paths)) if size is None else size)


def _with_slashes(paths: list[str]) -> npt.NDArray[np.str_]:
    return np.array([path.replace("\\", "/") for path in paths], np.str_)
