"""The interface of every quantiser: raw numbers to codes, codes back to numbers, and the cost of both."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hypertorus.spaces import Space

Codes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]


class Quantiser(ABC):
    """Raw numbers [n, dim] to codes and back.

    Points of the sphere and of torusN, and turns of torusC, are raw numbers too: to project them again changes
    nothing. So whichever of these one has is what `encode` takes, and what `decode` gives.
    """

    space: Space

    def fit(self, raw: npt.NDArray[Any]) -> Self:  # noqa: ARG002
        """Learn from training data what encoding needs; a quantiser that needs nothing does nothing."""
        return self

    @abstractmethod
    def encode(self, raw: npt.NDArray[Any]) -> Codes:
        """Raw numbers [n, dim] to codes [n, width], one number of `bits` bits a column."""

    @abstractmethod
    def decode(self, codes: npt.NDArray[np.integer]) -> Floats:
        """Codes [n, width] to numbers [n, dim] in the middle of what they stand for."""

    @abstractmethod
    def vectors(self, codes: npt.NDArray[np.integer]) -> Floats:
        """Return vectors whose Euclidean distance compares the codes; those of a torus are its points."""

    @property
    @abstractmethod
    def name(self) -> str:
        """A short name for tables."""

    @property
    @abstractmethod
    def codebook_size(self) -> int:
        """How many full-precision numbers must be kept to encode and to compare."""

    @property
    @abstractmethod
    def bits_per_vector(self) -> int:
        """How many bits the code of one vector takes."""

    @property
    def possible_values(self) -> int:
        """How many codes there are."""
        return 2**self.bits_per_vector


class NotFittedError(ValueError):
    """A quantiser that learns from data was used before `fit`."""

    def __init__(self, quantiser: Quantiser) -> None:
        super().__init__(f"{quantiser.name} has not seen data yet; call fit(training data) first.")


def check_codes(codes: Any, width: int, bits: int) -> Codes:
    """Return codes as uint8; raise an error unless they are integers [n, width] of this many bits."""
    array = np.asarray(codes)
    if array.dtype.kind not in "iu" or array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"codes is {array.dtype} of shape {array.shape}; pass integers [n, {width}].")
    every_value_fits = array.dtype == np.uint8 and bits == 8
    if array.size and not every_value_fits and (array.min() < 0 or array.max() >= 2**bits):
        raise ValueError(f"codes go from {array.min()} to {array.max()}; {bits} bits hold 0 to {2**bits - 1}.")
    return array.astype(np.uint8, copy=False)
