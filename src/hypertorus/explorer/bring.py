"""Brings labels in: annotations of field programs become answers of yes for the windows that they cover.

Images and texts are brought in by their names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np

from hypertorus.annotations import FORMATS, Annotation, read_annotations
from hypertorus.explorer.bench import Bench
from hypertorus.explorer.names import read_names, rows_of_names
from hypertorus.explorer.sounds import Sounds

SUFFIXES = (".txt", ".csv", ".parquet")
WAY = "brought in"


def bring(bench: Bench, path: Path, name: str, who: str) -> dict[str, Any]:
    """Say yes to every window of which an annotation covers half, or which has at least half of the annotation.

    Of images and texts, say yes to those that a table names. What is answered with yes already is left alone, so a file
    may be brought in twice.
    """
    try:
        sounds = bench.collection
        labels = _of_sounds(bench, sounds, path, name) if isinstance(sounds, Sounds) else _of_names(bench, path)
    except ValueError as error:
        raise ValueError(str(error).replace(str(path), name)) from error
    said, unknown, count = defaultdict[str, dict[str, str]](dict), set(), 0
    for source, label, rows in labels:
        count += 1
        if rows is None:
            unknown.add(source)
            continue
        for row in rows:
            said[label.strip() or PurePosixPath(name).stem][bench.items.key(row)] = "yes"
    answered = 0
    for question, keys in said.items():
        current = bench.answers.current(question)
        new = [(key, answer) for key, answer in keys.items() if current.get(key) != answer]
        if new:
            bench.answers.say_all(new, question, who=who, way=WAY)
        answered += len(new)
    return {
        "annotations": count,
        "answered": answered,
        "classes": list(said),
        "unknown": len(unknown),
        "example": min(unknown, default=None),
    }


Labels = list[tuple[str, str, list[int] | None]]
"""For each label: what it names, its text, and the rows that it says yes to; None if what it names is not here."""


def _of_sounds(bench: Bench, sounds: Sounds, path: Path, name: str) -> Labels:
    annotations, files = (
        read_annotations(path, recording=recording_of(sounds.sounds.windows.paths, name)),
        _Files(sounds),
    )
    numbers = [files.number(one.path) for one in annotations]
    return [
        (one.path, one.label, None if number is None else _covered(bench, number, one))
        for one, number in zip(annotations, numbers, strict=True)
    ]


def _of_names(bench: Bench, path: Path) -> Labels:
    names, rows = read_names(path), rows_of_names(bench.collection)
    return [(name, label, rows.get(name)) for name, label in names]


def _covered(bench: Bench, file: int, one: Annotation) -> list[int]:
    items = bench.items
    if items.files is None or items.starts is None or items.ends is None:
        return []
    rows = np.flatnonzero(items.files == file)
    starts, ends = items.starts[rows], items.ends[rows]
    common = np.minimum(ends, one.end) - np.maximum(starts, one.start)
    shorter = np.minimum(ends - starts, max(one.end - one.start, 1e-9))
    return [int(row) for row in rows[common >= 0.5 * shorter - 1e-6]]


class _Files:
    """Recordings by their path or, since tables are made on other computers, by their file name if it is unique."""

    def __init__(self, sounds: Sounds) -> None:
        self.sounds = sounds
        self.by_name: dict[str, list[int]] = defaultdict(list)
        for number, path in enumerate(sounds.sounds.windows.paths):
            self.by_name[PurePosixPath(path).name].append(number)

    def number(self, path: str) -> int | None:
        exact = self.sounds.sounds.windows.file_number(path)
        if exact is not None:
            return exact
        alike = self.by_name.get(PureWindowsPath(path).name, [])
        return alike[0] if len(alike) == 1 else None


def recording_of(paths: Iterable[str], name: str) -> str | None:
    """Return the recording that a table without paths is named after; None if there is none, or more than one.

    >>> recording_of(["a/owl.wav"], "owl.labels.txt"), recording_of(["a/owl.wav"], "owl.wav.labels.txt")
    ('a/owl.wav', 'a/owl.wav')
    """
    ending = next((each for each in FORMATS.values() if name.lower().endswith(each)), PurePosixPath(name).suffix)
    own = name[: len(name) - len(ending)]
    files = [(path, PurePosixPath(path)) for path in paths]
    alike = [path for path, file in files if own in (file.name, file.stem)]
    return alike[0] if len(alike) == 1 else None
