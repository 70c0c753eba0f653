"""A folder of sounds, one folder a class: recordings, or the .pt tensors of the ProtoCLR benchmark."""

from __future__ import annotations

from pathlib import Path

import torch

from hypertorus.datasets.class_folders import class_names, files_by_class, part_folders, relative_names
from hypertorus.datasets.kinds import SOUNDS
from hypertorus.datasets.sounds import Sounds
from hypertorus.embeddings.recordings import recordings
from hypertorus.sound.clip import Clip

UNKNOWN = "????"
"""The benchmark's folder for what nobody could name; it is no class."""


def read_sound_folder(folder: Path, group: str | None = None) -> Sounds:
    """The parts `train` and `test` (or `val`) if there are such folders, else one part, to be split by recordings."""
    found = [files_by_class(part, SOUNDS, "sounds") for part in part_folders(folder)]
    for part in found:
        part.pop(UNKNOWN, None)
    classes = class_names(found, folder)
    numbers = {name: number for number, name in enumerate(classes)}
    labelled = [(path, numbers[name]) for part in found for name, paths in part.items() for path in paths]
    paths = [path for path, _ in labelled]
    same = recordings(paths, group)
    return Sounds(
        folder.resolve().name,
        [Clip(path) for path in paths],
        torch.tensor([number for _, number in labelled]),
        classes,
        None if same is None else torch.from_numpy(same),
        sum(map(len, found[0].values())) if len(found) == 2 else None,
        relative_names(paths, folder),
        group,
    )
