"""The vectors that a large network has of sounds, for a small one to learn from."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from hypertorus.datasets.sounds import Sounds
from hypertorus.embeddings import Embeddings
from hypertorus.files.progress import Progress

BIRDNET = MappingProxyType({"kind": "birdnet"})


def sound_vectors(sounds: Sounds, ear: Mapping[str, Any] = BIRDNET, progress: Progress | None = None) -> Embeddings:
    """Return the vectors of all windows of sounds, by an ear that is a network, with their names and labels."""
    part, _, _ = sounds.inputs(ear, progress)
    rows = part.__getitems__(range(len(part))).flatten(1).numpy()
    labels, names, starts = part.labels.numpy(), part.columns.names, part.columns.starts
    return Embeddings(rows, "raw", "sphere", labels=labels, classes=sounds.classes, names=names, starts=starts)
