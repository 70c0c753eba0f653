"""Turns a text into a code, by a model of texts or by a sentence-transformers model that ends in the torus."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hypertorus.codes.grid import quantise
from hypertorus.explorer.collection import Codes
from hypertorus.models.model import load
from hypertorus.search import Index
from hypertorus.spaces import Torus, space


class Sentences:
    """A text model, loaded from a folder without asking any network."""

    def __init__(self, folder: Path, index: Index) -> None:
        self.index = index
        self._turns = _of_the_library(folder, index) if (folder / "modules.json").exists() else _ours(folder, index)
        self._encoding = threading.Lock()

    def codes(self, text: str) -> Codes:
        """Return the code [1, dim] of a text."""
        with self._encoding:
            turns = self._turns(text)
        return quantise(turns[:, : self.index.dim], self.index.bits)


def _ours(folder: Path, index: Index) -> Callable[[str], Any]:
    """Return the turns of a text by a model that `hypertorus train` saved."""
    model = load(folder)
    if not model.encoder.texts or index.model not in (None, model.fingerprint):
        raise ValueError(f"{folder} is not the text model that made the codes; pass that one.")
    home = model.space
    assert isinstance(home, Torus)  # whose codes are in an index
    return lambda text: home.turns_of_point(model.embed([text]))


def _of_the_library(folder: Path, index: Index) -> Callable[[str], Any]:
    """Return the turns of a text by a model of sentence-transformers."""
    from hypertorus.integrations.sentence import TorusProjection

    code = next(folder.rglob("*.py"), None)
    if code is not None:
        raise ValueError(f"{folder} holds the program {code.name}, which would be run; pass a folder without any.")
    from sentence_transformers import SentenceTransformer

    # The library calls every module that is not its own remote code; the folder itself has none, as just seen.
    model = SentenceTransformer(str(folder), trust_remote_code=True, local_files_only=True)
    projection = model[-1]
    home = space(projection.space, projection.dim) if isinstance(projection, TorusProjection) else None
    if not isinstance(home, Torus) or home.flat_dim < index.dim:
        raise ValueError(
            f"{folder} does not end in a TorusProjection of at least {index.dim} coordinates; pass the text model "
            "that made the embeddings."
        )
    return lambda text: home.turns_of_point(np.asarray(model.encode([text])))
