"""One .pt file with the waves `data` and the `label` of each, as the benchmark has its validation set."""

from __future__ import annotations

from pathlib import Path

from hypertorus.datasets.inputs import as_labels
from hypertorus.datasets.sounds import Sounds
from hypertorus.sound.clip import Clip
from hypertorus.sound.tensor_file import read_tensors


def read_sound_tensors(file: Path) -> Sounds:
    """Nobody can tell which of its clips are of one recording, so each is taken for one."""
    data, given = read_tensors(str(file))
    classes, (labels,) = as_labels(given, place=str(file))
    return Sounds(file.stem, [Clip(str(file), row=row) for row in range(len(data))], labels, classes)
