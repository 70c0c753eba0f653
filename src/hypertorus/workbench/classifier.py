"""A classifier of one class: tables of integers, whose sums over the coordinates of a code are its score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes.protocol import check_codes
from hypertorus.search import Index
from hypertorus.workbench.examples import Examples, Floats, tables_of
from hypertorus.workbench.left_out import Skill

Scores = npt.NDArray[np.int32]
UNIT = 2**16
"""The score of 1.0 before rounding."""
_FARTHEST = 200.0
"""Where a share is 0 or 1 as a float, and its exponential still a number."""


@dataclass(frozen=True, eq=False)
class Classifier:
    """Scores codes by whether they are of the class `name`: whole numbers, the more the likelier.

    A code has the score max(sums of the first `yes_tables` tables) - max(sums of the others), each with its offset.
    That is the scan of an index at any bits, and needs no floating point.
    """

    name: str
    method: str
    """`prototypes` or `tables`."""
    tables: npt.NDArray[np.int32]
    """Tables [m, dim, 2^bits]."""
    offsets: npt.NDArray[np.int32]
    """What is added to the sum of each table, [m]."""
    yes_tables: int
    boundary: int
    """Scores from here on are a yes."""
    examples: Examples
    """What it was learnt from, so that it can grow."""
    model: str | None = None
    """Fingerprint of the model that made the codes."""
    skill: Skill | None = None
    """Leave-one-recording-out; None if there are too few answers for that."""
    compared: tuple[tuple[str, Skill], ...] = ()
    """The same of each method that was tried, the one that was chosen first."""

    @property
    def dim(self) -> int:
        return int(self.tables.shape[1])

    @property
    def bits(self) -> int:
        return self.examples.bits

    def __repr__(self) -> str:
        yes = int(self.examples.yes.sum())
        skill = "" if self.skill is None else f", average precision {self.skill.average_precision:.2f} left out"
        return f"Classifier({self.name!r}) by {self.method} from {yes} yes and {len(self.examples) - yes} no{skill}"

    def scores(self, index: Index, *, threads: int | None = None) -> Scores:
        """Return the score of every code of an index, in the order of `index.ids`, in one scan."""
        self._check(index.dim, index.bits, index.model)
        return self._combined(index.sums(self.tables, threads))

    def scores_of(self, codes: npt.NDArray[Any]) -> Scores:
        """Return the scores of codes [n, dim]."""
        given = check_codes(codes, self.dim, self.bits)
        columns = np.arange(self.dim)
        return self._combined(np.stack([table[columns, given].sum(axis=1, dtype=np.int32) for table in self.tables]))

    def share(self, scores: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Return scores as shares from 0 to 1, of which 0.5 is the boundary; they are no probabilities."""
        steps = 4 * (np.asarray(scores, np.float64) - self.boundary) / max(1.0, self._spread)
        return (1 / (1 + np.exp(np.clip(-steps, -_FARTHEST, _FARTHEST)))).astype(np.float32)

    @property
    def _spread(self) -> float:
        """Typical distance of the score of a yes, or of a no, from the boundary: the larger of the two.

        Nos that were looked for lie near the yeses, and the boundary may be very near to one of the two.
        """
        own = self.scores_of(self.examples.codes).astype(np.float64)
        sides = [own[self.examples.yes == answer] for answer in (True, False)]
        return max(float(abs(np.median(side) - self.boundary)) for side in sides if len(side))

    def _combined(self, sums: npt.NDArray[np.int32]) -> Scores:
        sums += self.offsets[:, None]
        best = sums[: self.yes_tables].max(axis=0)
        return best if self.yes_tables == len(sums) else best - sums[self.yes_tables :].max(axis=0)

    def _check(self, dim: int, bits: int, model: str | None) -> None:
        if (dim, bits) != (self.dim, self.bits):
            raise ValueError(
                f"the index has {dim} coordinates of {bits} bits, but {self.name!r} was learnt on {self.dim} of "
                f"{self.bits}; learn it again on this index."
            )
        if None not in (model, self.model) and model != self.model:
            raise ValueError(f"the index has codes of another model than {self.name!r}; learn it again on this index.")


def whole_tables(vectors: Floats, offsets: Floats, bits: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return tables and offsets, rounded to whole numbers in units of 1 / `UNIT`, for vectors [m, 2 dim] of points."""
    return np.rint(UNIT * tables_of(vectors, bits)).astype(np.int32), np.rint(UNIT * offsets).astype(np.int32)
