"""Groups rows by recording, so that test rows never share a recording with training rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

import numpy as np
import numpy.typing as npt

GROUPS = ("auto", "stem", "none")


def recordings(paths: Sequence[str], group: str | None = None) -> npt.NDArray[np.int64] | None:
    """Return a number for each path, equal for paths of one recording; None if each path is a recording of its own.

    With `stem` the recording is the part of a file's name before its last `_`, in any folder, because a recording with
    two species has clips in two folders. With `none` every file is a recording. `auto`, the default, is `stem` if any
    two files share one.

    >>> recordings(["owl/7_1.ogg", "owl/7_2.ogg", "jay/8_1.ogg"])
    array([0, 0, 1])
    >>> recordings(["owl/7.ogg", "owl/8.ogg"]) is None
    True
    """
    if group not in (None, *GROUPS):
        raise ValueError(f"group is {group!r}; choose one of {', '.join(GROUPS)}.")
    names = list(paths) if group == "none" else [_stem(path) for path in paths]
    if group != "stem" and len(set(names)) == len(set(paths)):
        names = list(paths)
    if len(set(names)) == len(names):
        return None
    return group_numbers(names)


def group_numbers(names: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return a number for each name, equal for equal names."""
    return np.unique(np.array(names, dtype=str), return_inverse=True)[1].astype(np.int64)


def _stem(path: str) -> str:
    """Return the file's name before its last `_`, such as `7` of `7_1.ogg`; without a `_`, the whole path."""
    stem, separator, _ = PurePosixPath(path.replace("\\", "/")).stem.rpartition("_")
    return stem if separator else path
