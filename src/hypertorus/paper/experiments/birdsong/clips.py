"""Sources of clips: folders of recordings, synthetic recordings, ready-made features, or the published sets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from hypertorus.datasets import Part
from hypertorus.datasets.array_file import read_array_rows
from hypertorus.datasets.chirps import write_chirps
from hypertorus.datasets.sound_folder import read_sound_folder
from hypertorus.datasets.sound_tensors import read_sound_tensors
from hypertorus.datasets.sounds import Sounds
from hypertorus.embeddings.recordings import recordings
from hypertorus.files.whole_folder import whole_folder
from hypertorus.paper.experiments.birdsong.scales import CHIRPS, TEST_SETS, XENO_CANTO, BirdsongScale
from hypertorus.paper.experiments.birdsong.species import Parts, familiar, halves, split_species
from hypertorus.sound.ear import Ear


class Clips(NamedTuple):
    """All clips of a source, with their species and recordings."""

    part: Part
    classes: tuple[str, ...]
    candidates: int
    """Number of classes, counted from the first, that may be tested on; the others are for training only."""
    sound: Ear | None = None


@dataclass(frozen=True)
class Source:
    """The data behind a name in a grid: `chirps`, an .npz file with `path`, or folders joined by `+`."""

    name: str
    folder: Path
    """Folder of the data."""
    out: Path
    """Folder for synthetic recordings."""
    sound: tuple[tuple[str, Any], ...]
    """Settings of the spectrograms."""

    @property
    def published(self) -> bool:
        return self.name == XENO_CANTO

    @cached_property
    def clips(self) -> Clips:
        if self.name.endswith(".npz"):
            return _features(_existing(self.folder / self.name))
        if self.name == CHIRPS:
            folders = [_chirps(self.out)]
        else:
            folders = [_existing(self.folder / name) for name in self.name.split("+")]
        return _spectrograms([read_sound_folder(place) for place in folders], dict(self.sound))

    def parts(self, scale: BirdsongScale, seed: int) -> Parts:
        """Return the parts of a random split by species, or the published parts of the published sets."""
        if not self.published:
            clips = self.clips
            return split_species(clips.part, clips.candidates, scale.unseen, scale.choosing, max(scale.shots), seed)
        sound = dict(self.sound)
        validation = read_sound_tensors(_existing(self.folder / "pow.pt")).inputs(sound)[0]
        tests = {name: read_sound_folder(_existing(self.folder / place)) for name, place in TEST_SETS.items()}
        return Parts(
            *familiar(self.clips.part, scale.choosing),
            halves(validation),
            {name: sounds.inputs(sound)[0] for name, sounds in tests.items()},
        )


def _spectrograms(sets: list[Sounds], sound: dict[str, Any]) -> Clips:
    names = [f"{each.name}/{name}" for each in sets for name in each.classes]
    offsets = np.cumsum([0, *(len(each.classes) for each in sets)])
    labels = torch.cat([each.labels + int(offset) for each, offset in zip(sets, offsets, strict=False)])
    clips = [clip for each in sets for clip in each.clips]
    same = recordings([clip.path for clip in clips])
    groups = None if same is None else torch.from_numpy(same)
    together = Sounds(sets[0].name, clips, labels, tuple(names), groups)
    part, _, settings = together.inputs(sound)
    return Clips(part, together.classes, len(sets[0].classes), settings)


def _features(file: Path) -> Clips:
    rows = read_array_rows(str(file))
    if rows.groups is None:
        raise ValueError(f"{file} does not say which rows are of one recording; give each its `path`.")
    return Clips(rows, rows.classes, len(rows.classes))


def _chirps(out: Path) -> Path:
    folder = out / "recordings"
    if not folder.exists():
        with whole_folder(folder) as fresh:  # all or none, should it be stopped midway
            write_chirps(fresh)
    return folder


def _existing(path: Path) -> Path:
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; put it there, or pass its folder with --data-folder.")
    return path
