"""Labelled clips, from any source of sounds, and the data set of their inputs."""

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
from hypertorus.files.unreadable import warn_of_unreadable
from hypertorus.sound.clip import Clip
from hypertorus.sound.ear import Ear, ear

LONGEST = 6.0
SHORTEST = 0.5
"""Bounds of the default length of a window in seconds."""


@dataclass(frozen=True)
class Sounds:
    """Clips with their labels, recordings and names."""

    name: str
    clips: list[Clip]
    labels: Tensor
    classes: tuple[str, ...]
    groups: Tensor | None = None
    train: int | None = None
    """Number of clips for training, which come first; None if the source is not split."""
    names: npt.NDArray[np.str_] | None = None
    """Name of each clip; the default is its path."""
    group: str | None = None
    """How files were grouped into recordings; None if it was not set."""

    def data(self, sound: Mapping[str, Any] | None, test_share: float, progress: Progress | None) -> Data:
        """Return the inputs of the clips, in two parts."""
        everything, owners, ear_used = self.inputs(sound, progress)
        if self.train is None:
            train, test = stratified(everything.labels, test_share, everything.groups)
        else:
            train, test = np.flatnonzero(owners < self.train), np.flatnonzero(owners >= self.train)
        return Data(self.name, everything.take(train), everything.take(test), self.classes, ear_used, group=self.group)

    def inputs(
        self, sound: Mapping[str, Any] | None, progress: Progress | None = None
    ) -> tuple[MappedInputs, np.ndarray, Ear]:
        """Return the inputs, which are cached, the number of the clip of each, and the ear that made them.

        A clip that cannot be read is left out with a warning.
        """
        settings = dict(sound or {})
        if settings.get("kind", "spectrogram") == "spectrogram" and "seconds" not in settings:
            settings["seconds"] = seconds_for(self.clips)
        ear_used = ear(settings)
        cached = inputs_of(self.clips, ear_used, progress=progress)
        if len(cached.clips) == 0:
            raise ValueError(f"none of the {len(self.clips)} sounds of {self.name} could be read: {cached.errors[0]}")
        if cached.errors:
            warn_of_unreadable(cached.errors, len(self.clips), "were left out")
        owners = torch.from_numpy(cached.clips)
        # All windows of a clip belong to one recording.
        groups = owners if self.groups is None else self.groups[owners]
        every = torch.arange(len(owners))
        columns = Columns(self.labels[owners], groups, *self._names_and_starts(cached.clips, ear_used.seconds), every)
        return MappedInputs(cached.file, every, columns), cached.clips, ear_used

    def _names_and_starts(
        self, owners: npt.NDArray[np.int64], seconds: float
    ) -> tuple[npt.NDArray[np.str_], npt.NDArray[np.float64]]:
        """Return the name of each window, and its start within its file in seconds."""
        names = np.array([clip.path for clip in self.clips], np.str_) if self.names is None else self.names
        begins = np.array([clip.start for clip in self.clips])
        first = np.searchsorted(owners, owners)  # windows of a clip follow one another
        return names[owners], begins[owners] + seconds * (np.arange(len(owners)) - first)


def seconds_for(clips: Sequence[Clip]) -> float:
    """Return a window length that suits these clips: the median length of up to 64 of them, at most the usual 6 s."""
    rows = np.unique(np.linspace(0, len(clips) - 1, num=min(len(clips), 64)).astype(int))
    lengths = []
    for row in rows:
        try:
            lengths.append(clips[row].seconds())
        except ValueError:  # it will be reported when it is read
            continue
    median = float(np.median(lengths)) if lengths else LONGEST
    return min(max(SHORTEST, round(median, 1)), LONGEST)
