"""Which species a network learns from, which it is chosen by, and which it has never heard when it is tested."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from hypertorus.data import Part
from hypertorus.embeddings.split import stratified

UNSEEN = "unseen species"
Positions = npt.NDArray[np.int64]


class Parts(NamedTuple):
    """What a network learns from, is chosen by and is tested on."""

    train: Part
    familiar: Part
    """New recordings of some species that it learns."""
    choosing: tuple[Part, Part]
    """Other species, to look among, and to look up by other recordings."""
    tests: dict[str, Part]
    """By the name of the set: species that are nowhere else."""


def split_species(clips: Part, candidates: int, unseen: int, choosing: int, shots: int, seed: int) -> Parts:
    """Species drawn by chance: of the first `candidates`, so many to test on and so many to choose by.

    A species to test on has more recordings than there are shots, for every shot is of another and one is asked for.
    """
    labels = clips.labels.numpy()
    groups = _groups(clips)
    recordings = np.array([len(np.unique(groups[labels == each])) for each in range(labels.max() + 1)])
    rng = np.random.default_rng([2_718_281, seed])
    tested = _drawn(rng, np.flatnonzero(recordings[:candidates] > shots), unseen)
    left = np.setdiff1d(np.flatnonzero(recordings[:candidates] > 1), tested)
    chosen_by = _drawn(rng, left, choosing)
    known = ~np.isin(labels, [*tested, *chosen_by])
    return Parts(
        *familiar(clips.take(np.flatnonzero(known).tolist()), choosing),
        halves(clips.take(np.flatnonzero(np.isin(labels, chosen_by)).tolist())),
        {UNSEEN: clips.take(np.flatnonzero(np.isin(labels, tested)).tolist())},
    )


def familiar(clips: Part, species: int) -> tuple[Part, Part]:
    """What to learn from, and one recording of each of the species that have the most, to look at in the end."""
    labels, groups = clips.labels.numpy(), _groups(clips)
    most = np.argsort(-np.bincount(labels), kind="stable")[:species]
    kept = np.isin(groups, [groups[labels == each].max() for each in most])
    return clips.take(np.flatnonzero(~kept).tolist()), clips.take(np.flatnonzero(kept).tolist())


def halves(clips: Part) -> tuple[Part, Part]:
    """Half of each species to look among, and half to look up."""
    first, second = stratified(torch.unique(clips.labels, return_inverse=True)[1], 0.5, clips.groups)
    return clips.take(first), clips.take(second)


def _drawn(rng: np.random.Generator, among: Positions, count: int) -> Positions:
    if len(among) < count:
        raise ValueError(f"{len(among)} species have recordings enough where {count} are wanted; add some.")
    return rng.choice(among, count, replace=False)


def _groups(clips: Part) -> Positions:
    return np.arange(len(clips)) if clips.groups is None else clips.groups.numpy()
