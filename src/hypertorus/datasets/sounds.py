"""Labelled clips to a data set of inputs: what every source of sounds has in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from hypertorus.datasets.data import Data
from hypertorus.datasets.mapped import MappedInputs
from hypertorus.datasets.part import Columns
from hypertorus.datasets.sound_cache import inputs_of
from hypertorus.embeddings.split import stratified
from hypertorus.files.progress import Progress
from hypertorus.sound.clip import Clip
from hypertorus.sound.ear import Ear, ear
from hypertorus.sound.unreadable import warn_of_unreadable

LONGEST = 6.0
SHORTEST = 0.5
"""Seconds of a window, where nobody says how many."""


@dataclass(frozen=True)
class Sounds:
    """Clips with a label each, of which some may be of one recording, and some for testing."""

    name: str
    clips: list[Clip]
    labels: Tensor
    classes: tuple[str, ...]
    groups: Tensor | None = None
    train: int | None = None
    """How many of the clips, the first ones, are for training; None where nobody has decided."""
    names: npt.NDArray[np.str_] | None = None
    """What each clip is called; by default its path."""
    group: str | None = None
    """How recordings were told from names, where somebody said."""

    def data(self, sound: Mapping[str, Any] | None, test_share: float, progress: Progress | None) -> Data:
        """What an ear makes of them, in two parts."""
        everything, owners, heard_by = self.heard(sound, progress)
        if self.train is None:
            train, test = stratified(everything.labels, test_share, everything.groups)
        else:
            train, test = np.flatnonzero(owners < self.train), np.flatnonzero(owners >= self.train)
        return Data(self.name, everything.take(train), everything.take(test), self.classes, heard_by, group=self.group)

    def heard(
        self, sound: Mapping[str, Any] | None, progress: Progress | None = None
    ) -> tuple[MappedInputs, np.ndarray, Ear]:
        """What an ear makes of them, computed once, of which clip each input is, and the ear.

        A clip that cannot be read is left out with a warning.
        """
        given = dict(sound or {})
        if not {"kind", "seconds"} & given.keys():
            given["seconds"] = seconds_for(self.clips)
        heard_by = ear(given)
        computed = inputs_of(self.clips, heard_by, progress=progress)
        if len(computed.clips) == 0:
            raise ValueError(f"none of the {len(self.clips)} sounds of {self.name} could be read: {computed.broken[0]}")
        if computed.broken:
            warn_of_unreadable(computed.broken, len(self.clips), "were left out")
        owners = torch.from_numpy(computed.clips)
        # The windows of a clip are of one recording in any case.
        groups = owners if self.groups is None else self.groups[owners]
        every = torch.arange(len(owners))
        columns = Columns(self.labels[owners], groups, *self._places(computed.clips, heard_by.seconds), every)
        return MappedInputs(computed.file, every, columns), computed.clips, heard_by

    def _places(
        self, owners: npt.NDArray[np.int64], seconds: float
    ) -> tuple[npt.NDArray[np.str_], npt.NDArray[np.float64]]:
        """The name of each window, and the second of its file at which it begins."""
        names = np.array([clip.path for clip in self.clips], np.str_) if self.names is None else self.names
        begins = np.array([clip.start for clip in self.clips])
        first = np.searchsorted(owners, owners)  # windows of a clip follow one another
        return names[owners], begins[owners] + seconds * (np.arange(len(owners)) - first)


def seconds_for(clips: Sequence[Clip]) -> float:
    """The window that suits these clips, judged by up to 64 of them: their median length, up to the published 6 s."""
    rows = np.unique(np.linspace(0, len(clips) - 1, num=min(len(clips), 64)).astype(int))
    lengths = []
    for row in rows:
        try:
            lengths.append(clips[row].seconds())
        except ValueError:  # it will be reported when it is read
            continue
    median = float(np.median(lengths)) if lengths else LONGEST
    return min(max(SHORTEST, round(median, 1)), LONGEST)
