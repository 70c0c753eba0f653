"""Which clips come from one recording: a part to test on must not share a recording with the part to train on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

import numpy as np
import torch
from torch import Tensor

GROUPS = ("auto", "stem", "none")


def recordings(paths: Sequence[str], group: str | None = None) -> Tensor | None:
    """A number for each path, the same for those of one recording; None where each is a recording of its own.

    By `stem` what a file's name has before its last `_` is the recording, whatever folder it lies in; by `none` every
    file is one. `auto`, the default, is `stem` where that brings any two files together.

    >>> recordings(["owl/7_1.ogg", "owl/7_2.ogg", "jay/8_1.ogg"])
    tensor([0, 0, 1])
    >>> recordings(["owl/7.ogg", "owl/8.ogg"]) is None
    True
    """
    if group not in (None, *GROUPS):
        raise ValueError(f"group is {group!r}; there are {', '.join(GROUPS)}.")
    names = list(paths) if group == "none" else _stems(paths)
    if group != "stem" and len(set(names)) == len(set(paths)):
        names = list(paths)
    if len(set(names)) == len(names):
        return None
    return numbered(names)


def numbered(names: Sequence[str]) -> Tensor:
    """A number for each name, the same for the same."""
    return torch.from_numpy(np.unique(np.array(names, dtype=str), return_inverse=True)[1].astype(np.int64))


def _stems(paths: Sequence[str]) -> list[str]:
    """Of `7_1.ogg` it is `7`; a name without `_` is its own, folder and all."""
    found = []
    for path in paths:
        stem, separator, _ = PurePosixPath(path.replace("\\", "/")).stem.rpartition("_")
        found.append(stem if separator else path)
    return found
