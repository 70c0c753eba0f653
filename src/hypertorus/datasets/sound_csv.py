"""Reads a CSV file that lists clips: path, label and, for a stretch of a file, start and end in seconds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from hypertorus.datasets.inputs import as_labels
from hypertorus.datasets.sounds import Sounds
from hypertorus.embeddings.recordings import group_numbers, recordings
from hypertorus.files.csv_file import csv_rows
from hypertorus.sound.clip import Clip

Row = dict[str, str]


def read_sound_csv(file: Path, group: str | None = None) -> Sounds:
    """Return the clips; paths are relative to the folder of the file.

    Recordings are those of the column `group`, unless the option `group` is set; see `recordings`.
    """
    try:
        columns, *cells = csv_rows(file)
    except ValueError as error:
        raise ValueError(f"{file} is not a readable .csv file ({error}); fix it or write it again.") from error
    rows = [dict(zip(columns, row, strict=True)) for row in cells]
    if not rows or "label" not in rows[0]:
        raise ValueError(
            f"{file} has no rows with a label; pass the columns path and label, and start and end if need be."
        )
    clips = [_clip(row, file, number) for number, row in enumerate(rows, start=2)]
    classes, (labels,) = as_labels(np.array([row["label"] for row in rows]), place=str(file))
    if len(classes) < 2:
        raise ValueError(f"{file} has only the label {classes[0]}; pass clips of at least two classes.")
    numbers: npt.NDArray[np.int64] | None
    if group is None and "group" in rows[0]:
        numbers = group_numbers([row["group"] or clip.path for row, clip in zip(rows, clips, strict=True)])
    else:
        numbers = recordings([clip.path for clip in clips], group)
    groups = None if numbers is None else torch.from_numpy(numbers)
    names = np.array([row["path"] for row in rows], np.str_)
    return Sounds(file.stem, clips, labels, classes, groups, names=names, group=group)


def _clip(row: Row, file: Path, line: int) -> Clip:
    start, end = (_seconds(row.get(name, ""), name, file, line) for name in ("start", "end"))
    if end is not None and end <= (start or 0):
        raise ValueError(f"line {line} of {file} has the end {end} s, which is not after its start; fix it.")
    return Clip(str(file.parent / row["path"]), start or 0.0, end)


def _seconds(cell: str, name: str, file: Path, line: int) -> float | None:
    if not cell.strip():
        return None
    try:
        seconds = float(cell)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < 1e9:
        raise ValueError(f"line {line} of {file} has the {name} {cell!r}; write seconds from the start of the file.")
    return seconds
