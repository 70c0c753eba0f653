"""The vectors that a large network has of sounds, for a small one to learn from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.datasets import Part
from hypertorus.datasets.read import read_any
from hypertorus.embeddings import Embeddings
from hypertorus.files.progress import Progress
from hypertorus.models.sources import inputs_for
from hypertorus.sound.ear import ear

BIRDNET = MappingProxyType({"kind": "birdnet"})


def sound_vectors(
    source: str | Path, settings: Mapping[str, Any] = BIRDNET, progress: Progress | None = None
) -> Embeddings:
    """Return the vectors of all windows of sounds, by an ear that is a network, with their names.

    The source is a folder of any depth, or anything else that `read_any` reads; where it has classes, they are labels.
    """
    listening = ear(settings)
    heard = read_any(str(source), sound=listening.as_dict(), progress=progress)
    inputs = inputs_for(heard, listening.shape, listening, {})
    return Embeddings(inputs.map(_rows, None), "raw", "sphere", **inputs.columns())


def _rows(part: Part, _: Progress | None) -> npt.NDArray[np.float32]:
    rows: npt.NDArray[np.float32] = part.__getitems__(range(len(part))).flatten(1).numpy()
    return rows
