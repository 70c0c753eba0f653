"""Splits species into those for training, for validation, and unseen ones for testing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from hypertorus.datasets import Part
from hypertorus.embeddings.split import stratified

UNSEEN = "unseen species"
Positions = npt.NDArray[np.int64]


class Parts(NamedTuple):
    """Parts for training, validation and testing."""

    train: Part
    familiar: Part
    """Held-out recordings of some of the training species."""
    choosing: tuple[Part, Part]
    """Validation: other species, as a reference part and as queries from other recordings."""
    tests: dict[str, Part]
    """Test sets by name, of species that are in no other part."""


def split_species(clips: Part, candidates: int, unseen: int, choosing: int, shots: int, seed: int) -> Parts:
    """Return a random split: of the first `candidates` species, `unseen` for testing and `choosing` for validation.

    A species for testing has more recordings than `shots`, because each shot and the query come from different ones.
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
    """Return the clips for training, and one held-out recording of each of the species with the most clips."""
    labels, groups = clips.labels.numpy(), _groups(clips)
    most = np.argsort(-np.bincount(labels), kind="stable")[:species]
    held_out = np.isin(groups, [groups[labels == each].max() for each in most])
    return clips.take(np.flatnonzero(~held_out).tolist()), clips.take(np.flatnonzero(held_out).tolist())


def halves(clips: Part) -> tuple[Part, Part]:
    """Return half of each species as reference, and half as queries."""
    first, second = stratified(torch.unique(clips.labels, return_inverse=True)[1], 0.5, clips.groups)
    return clips.take(first), clips.take(second)


def _drawn(rng: np.random.Generator, among: Positions, count: int) -> Positions:
    if len(among) < count:
        raise ValueError(f"{len(among)} species have enough recordings, but {count} are needed; add recordings.")
    return rng.choice(among, count, replace=False)


def _groups(clips: Part) -> Positions:
    return np.arange(len(clips)) if clips.groups is None else clips.groups.numpy()
