"""Examples that a classifier is learnt from: codes, whether each was a yes, and the recording that each is from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hypertorus.codes.circular_mean import arrows
from hypertorus.codes.protocol import Codes

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Examples:
    """Codes [n, dim] of `bits` bits, a truth value for each, and the number of its recording."""

    codes: Codes
    bits: int
    yes: npt.NDArray[np.bool_]
    recordings: npt.NDArray[np.int64]
    keys: tuple[str, ...] = ()
    """Key of each item; empty if these are not known."""

    def __len__(self) -> int:
        return len(self.yes)

    @property
    def points(self) -> Floats:
        return points_of(self.codes, self.bits)

    def joined(self, more: Examples) -> Examples:
        """Return these and more, whose recordings are other ones; of an item that is in both, the new answer counts.

        Keys are kept if both have them.
        """
        keyed = len(self.keys) == len(self) and len(more.keys) == len(more)
        known = set(more.keys) if keyed else set()
        kept = np.array([not keyed or key not in known for key in self.keys or [""] * len(self)], bool)
        after = int(self.recordings.max(initial=-1)) + 1
        return Examples(
            np.concatenate([self.codes[kept], more.codes]),
            self.bits,
            np.concatenate([self.yes[kept], more.yes]),
            np.concatenate([self.recordings[kept], more.recordings + after]),
            tuple(key for key, keep in zip(self.keys, kept, strict=True) if keep) + more.keys if keyed else (),
        )


def points_of(codes: Codes, bits: int) -> Floats:
    """Return unit-norm points [n, 2 dim] of codes: cosine and sine of each coordinate.

    >>> points_of(np.array([[0, 64]], np.uint8), 8).round(3).tolist()
    [[0.707, 0.0, 0.0, 0.707]]
    """
    flat = arrows(codes, bits).reshape(len(codes), -1)
    return flat / (2**14 * np.sqrt(codes.shape[1]))


def tables_of(vectors: Floats, bits: int) -> Floats:
    """Return tables [m, dim, 2^bits] whose sums are the dot products of vectors [m, 2 dim] with the points of codes."""
    circle = arrows(np.arange(2**bits, dtype=np.uint8), bits) / 2**14
    pairs = vectors.reshape(len(vectors), -1, 2)
    return np.asarray(pairs @ circle.T / np.sqrt(pairs.shape[1]))
