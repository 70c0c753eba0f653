"""Reads a folder of sounds with a folder for each class: recordings, or .pt tensors of the ProtoCLR benchmark."""

from __future__ import annotations

from pathlib import Path

import torch

from hypertorus.datasets.class_folders import class_names, files_by_class, part_folders, relative_names
from hypertorus.datasets.kinds import SOUNDS
from hypertorus.datasets.sounds import Sounds
from hypertorus.embeddings.recordings import recordings
from hypertorus.sound.clip import Clip

UNKNOWN = "????"
"""The benchmark's folder for unidentified sounds, which is not a class."""


def read_sound_folder(folder: Path, group: str | None = None) -> Sounds:
    """Return the clips of the folders `train` and `test` (or `val`) if there are any, else clips that are not split."""
    parts = [files_by_class(part, SOUNDS, "sounds") for part in part_folders(folder)]
    for part in parts:
        part.pop(UNKNOWN, None)
    classes = class_names(parts, folder)
    numbers = {name: number for number, name in enumerate(classes)}
    labelled = [(path, numbers[name]) for part in parts for name, paths in part.items() for path in paths]
    paths = [path for path, _ in labelled]
    groups = recordings(paths, group)
    return Sounds(
        folder.resolve().name,
        [Clip(path) for path in paths],
        torch.tensor([number for _, number in labelled]),
        classes,
        None if groups is None else torch.from_numpy(groups),
        sum(map(len, parts[0].values())) if len(parts) == 2 else None,
        relative_names(paths, folder),
        group,
    )
