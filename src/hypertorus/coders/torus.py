"""Torus codes of ready-made vectors: a linear layer whose numbers are turns, at 4 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from hypertorus.coders.coder import BITS, Coder, Codes
from hypertorus.coders.vectors import Floats
from hypertorus.codes import quantise
from hypertorus.search import Index, Neighbours


class TorusCoder(Coder):
    """Codes on torusC: weights are `mean` [numbers] and `encode` [numbers, 2 x bytes], which gives turns.

    They are compared as all torus codes are, so that an index of them may be searched, arranged in cells and exported
    to a microcontroller like that of a trained model.
    """

    kind = "torus"
    metric = "cosine"

    def turns(self, vectors: Floats) -> Floats:
        """Return the turns [n, 2 x bytes] of vectors of length 1."""
        return ((vectors - self.weights["mean"]) @ self.weights["encode"]) % np.float32(1)

    def _codes(self, vectors: Floats) -> Codes:
        return quantise(self.turns(vectors), BITS)

    def _middles(self, codes: Codes) -> Floats:
        turns = (codes + np.float32(0.5)) / np.float32(2**BITS)
        return turns - np.round(turns)

    def _search(self, index: Index, vectors: Floats, k: int, *, where: Any, threads: int | None) -> Neighbours:
        return index.search(self._codes(vectors), k, where, threads)
