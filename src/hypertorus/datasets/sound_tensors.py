"""Reads a .pt file with the waves `data` and their `label`, such as the benchmark's validation set."""

from __future__ import annotations

from pathlib import Path

from hypertorus.datasets.inputs import as_labels
from hypertorus.datasets.sounds import Sounds
from hypertorus.sound.clip import Clip
from hypertorus.sound.tensor_file import read_tensors


def read_sound_tensors(file: Path) -> Sounds:
    """Return the clips; the file does not group them into recordings, so each counts as one."""
    data, label_column = read_tensors(str(file))
    classes, (labels,) = as_labels(label_column, place=str(file))
    return Sounds(file.stem, [Clip(str(file), row=row) for row in range(len(data))], labels, classes)
