"""Which rows come from one recording: rows to test on must not share a recording with rows to train on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

import numpy as np
import numpy.typing as npt

GROUPS = ("auto", "stem", "none")


def recordings(paths: Sequence[str], group: str | None = None) -> npt.NDArray[np.int64] | None:
    """A number for each path, the same for paths of one recording; None where each is a recording of its own.

    With `stem` the recording is what stands before the last `_` of a file's name, whatever folder it lies in, for a
    recording in which two species call has clips in two folders. With `none` every file is a recording. `auto`, the
    default, is `stem` where that brings any two files together.

    >>> recordings(["owl/7_1.ogg", "owl/7_2.ogg", "jay/8_1.ogg"])
    array([0, 0, 1])
    >>> recordings(["owl/7.ogg", "owl/8.ogg"]) is None
    True
    """
    if group not in (None, *GROUPS):
        raise ValueError(f"group is {group!r}; there are {', '.join(GROUPS)}.")
    names = list(paths) if group == "none" else [_stem(path) for path in paths]
    if group != "stem" and len(set(names)) == len(set(paths)):
        names = list(paths)
    if len(set(names)) == len(names):
        return None
    return numbered(names)


def numbered(names: Sequence[str]) -> npt.NDArray[np.int64]:
    """A number for each name, the same for the same name."""
    return np.unique(np.array(names, dtype=str), return_inverse=True)[1].astype(np.int64)


def _stem(path: str) -> str:
    """The stem of `7_1.ogg` is `7`; a name without `_` is its own stem, folder included."""
    stem, separator, _ = PurePosixPath(path.replace("\\", "/")).stem.rpartition("_")
    return stem if separator else path
