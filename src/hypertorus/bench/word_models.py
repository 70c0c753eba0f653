"""Models of spoken words, trained on some speakers and words and judged by others: three rotations of two speakers.

The folder is that of the Free Spoken Digit Dataset, or one like it: a folder for each word, files named
`speaker_number.flac`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from hypertorus.datasets import Data
from hypertorus.datasets.sound_folder import read_sound_folder
from hypertorus.models import Model
from hypertorus.training.ears import NEEDED
from hypertorus.training.one_call import train

ROTATIONS = (("george", "jackson"), ("lucas", "nicolas"), ("theo", "yweweler"))
"""The speakers that each rotation holds out; the other four are learnt from."""


@dataclass(frozen=True)
class Kind:
    """Settings of `train` for one use of words; `new_words` is how many words of each rotation are not trained on."""

    settings: dict[str, Any]
    new_words: int = 0

    @property
    def ear(self) -> str:
        """The kind of ear that comes with the encoder."""
        return NEEDED[self.settings["encoder"].partition(":")[0]]


KINDS = {
    "known": Kind({"encoder": "keyword"}),
    "learning": Kind({"encoder": "keyword:64", "dim": 64, "synthetic_words": True, "epochs": 20}, new_words=3),
    "eight-bit": Kind({"encoder": "keyword-1d"}),
}
"""Words that are known beforehand, words that are learned from five examples, and known words on an 8-bit chip."""


class Run(NamedTuple):
    """One training: a kind of `KINDS`, a rotation and a seed."""

    kind: str
    rotation: int
    seed: int

    @property
    def name(self) -> str:
        """The name of the folder of its model."""
        return f"{self.kind}-{self.rotation}-{self.seed}"

    @property
    def held_out(self) -> tuple[str, ...]:
        """The speakers who are not learnt from."""
        return ROTATIONS[self.rotation]

    @property
    def new_words(self) -> tuple[int, ...]:
        """The numbers of the words that are not trained on, others in each rotation."""
        count = KINDS[self.kind].new_words
        return tuple(range(count * self.rotation, count * (self.rotation + 1)))


def every_run(seeds: Iterable[int]) -> list[Run]:
    """Return the runs of all rotations and kinds with these seeds."""
    return [Run(kind, rotation, seed) for seed in seeds for rotation in range(len(ROTATIONS)) for kind in KINDS]


class Trained(NamedTuple):
    """A model, its data, and the speaker of each clip of either part."""

    model: Model
    data: Data
    train_speakers: npt.NDArray[np.str_]
    test_speakers: npt.NDArray[np.str_]


def trained(folder: Path, run: Run, out: Path, without: str | None = None) -> Trained:
    """Return the model of a run, which is trained unless the folder `out` has it.

    `data.train` has the clips of the training speakers, without new words, and `data.test` all those of the others. A
    speaker `without` whom it is trained is in neither.
    """
    kind = KINDS[run.kind]
    data, speakers = split_by_speakers(folder, run.held_out, kind.ear)
    if without is not None:
        rows = speakers[0] != without
        data = Data(data.name, data.train.take(np.flatnonzero(rows)), data.test, data.classes, data.sound)
        speakers = speakers[0][rows], speakers[1]
    new = torch.tensor(run.new_words, dtype=torch.int64)
    mine, theirs = (np.flatnonzero(~torch.isin(part.labels, new).numpy()) for part in (data.train, data.test))
    learnt = data.train.take(mine)
    training = Data(data.name, learnt, data.test.take(theirs), data.classes, data.sound)
    model = train(training, out, seed=run.seed, show=False, **kind.settings)
    return Trained(model, Data(data.name, learnt, data.test, data.classes, data.sound), speakers[0][mine], speakers[1])


def split_by_speakers(
    folder: Path, held_out: tuple[str, ...], ear: str
) -> tuple[Data, tuple[npt.NDArray[np.str_], npt.NDArray[np.str_]]]:
    """Return the words of a folder, those of held-out speakers as the test part, and the speakers of both parts."""
    sounds = read_sound_folder(folder)
    whole, _, ear_used = sounds.inputs({"kind": ear})
    assert whole.columns.names is not None
    speakers = np.array([Path(name).stem.rpartition("_")[0] for name in whole.columns.names.tolist()])
    if missing := sorted(set(held_out) - set(speakers.tolist())):
        raise ValueError(f"{folder} has no files of {', '.join(missing)}; pass the Free Spoken Digit Dataset.")
    rows = [np.flatnonzero(part) for part in (~np.isin(speakers, held_out), np.isin(speakers, held_out))]
    train_part, test_part = (whole.take(part) for part in rows)
    data = Data(sounds.name, train_part, test_part, sounds.classes, ear_used)
    return data, (speakers[rows[0]], speakers[rows[1]])
