"""Turns a text into a code by a sentence-transformers model that ends in the torus."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np

from hypertorus.codes.grid import quantise
from hypertorus.explorer.collection import Codes
from hypertorus.search import Index
from hypertorus.spaces import Torus, space


class Sentences:
    """A text model, loaded from a folder without asking any network."""

    def __init__(self, folder: Path, index: Index) -> None:
        from hypertorus.integrations.sentence import TorusProjection

        code = next(folder.rglob("*.py"), None)
        if code is not None:
            raise ValueError(f"{folder} holds the program {code.name}, which would be run; pass a folder without any.")
        from sentence_transformers import SentenceTransformer

        # The library calls every module that is not its own remote code; the folder itself has none, as just seen.
        self.model = SentenceTransformer(str(folder), trust_remote_code=True, local_files_only=True)
        projection = self.model[-1]
        home = space(projection.space, projection.dim) if isinstance(projection, TorusProjection) else None
        if not isinstance(home, Torus) or home.flat_dim < index.dim:
            raise ValueError(
                f"{folder} does not end in a TorusProjection of at least {index.dim} coordinates; pass the text model "
                "that made the embeddings."
            )
        self.home, self.index = home, index
        self._encoding = threading.Lock()

    def codes(self, text: str) -> Codes:
        """Return the code [1, dim] of a text."""
        with self._encoding:
            points = np.asarray(self.model.encode([text]))
        return quantise(self.home.turns_of_point(points)[:, : self.index.dim], self.index.bits)
