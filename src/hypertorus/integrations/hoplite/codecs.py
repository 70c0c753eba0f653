"""How the vectors of a database become codes and come back: as those of a torusN model, or by a fitted coder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.coders import Coder
from hypertorus.codes import GridCodes
from hypertorus.search import Index, Neighbours
from hypertorus.spaces import TorusN

Vectors = npt.NDArray[Any]
Codes = npt.NDArray[np.uint8]


class Codec(ABC):
    """Vectors [n, numbers] to codes and back, and the search for a vector."""

    numbers: int
    bits: int
    fingerprint: str
    """The coder's, or nothing."""

    @abstractmethod
    def new_index(self) -> Index: ...

    @abstractmethod
    def encode(self, vectors: Vectors) -> Codes: ...

    @abstractmethod
    def decode(self, codes: Codes) -> npt.NDArray[np.float32]:
        """Vectors of length 1 that have these codes."""

    @abstractmethod
    def query(self, vectors: Vectors) -> Vectors:
        """What is to be compared with decoded vectors."""

    @abstractmethod
    def search(self, index: Index, vectors: Vectors, k: int) -> Neighbours: ...


class TorusCodec(Codec):
    """Vectors are the raw numbers or points of a torusN model: pairs of them are angles, of `bits` bits each."""

    fingerprint = ""

    def __init__(self, numbers: int, bits: int = 8) -> None:
        self.numbers, self.bits = numbers, bits
        self._space = TorusN(numbers)
        self._grid = GridCodes(self._space, bits)

    def new_index(self) -> Index:
        return Index(self.numbers // 2, self.bits, "cosine")

    def encode(self, vectors: Vectors) -> Codes:
        return self._grid.encode(vectors.astype(np.float32))

    def decode(self, codes: Codes) -> npt.NDArray[np.float32]:
        return self._space.point((codes.astype(np.float32) + np.float32(0.5)) / np.float32(2**self.bits))

    def query(self, vectors: Vectors) -> Vectors:
        return self._space.project(vectors.astype(np.float32))

    def search(self, index: Index, vectors: Vectors, k: int) -> Neighbours:
        return index.search(self._space.turns(vectors.astype(np.float32)), k)


class CoderCodec(Codec):
    """Vectors are anything, and a coder was fitted to them."""

    bits = 4

    def __init__(self, coder: Coder) -> None:
        self.coder, self.numbers, self.fingerprint = coder, coder.numbers, coder.fingerprint

    def new_index(self) -> Index:
        return Index(self.coder.width, self.bits, "cosine", model=self.fingerprint)

    def encode(self, vectors: Vectors) -> Codes:
        return self.coder.transform(vectors)

    def decode(self, codes: Codes) -> npt.NDArray[np.float32]:
        return self.coder.inverse_transform(codes)

    def query(self, vectors: Vectors) -> Vectors:
        return vectors

    def search(self, index: Index, vectors: Vectors, k: int) -> Neighbours:
        return self.coder.search(index, vectors, k)
