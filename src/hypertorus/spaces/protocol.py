"""The interface of every space: raw numbers to points, distances between points, random points."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hypertorus.spaces._arrays import Array, enter, to_numpy


@dataclass(frozen=True)
class Space(ABC):
    """Where embeddings of `dim` raw numbers live.

    Think of a space as a replacement for L2 normalisation: `project` takes what a network puts out to a *point* of
    unit norm, so that every loss and every search engine that knows cosines works on it unchanged.
    """

    dim: int

    name: ClassVar[str]
    metrics: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        if not isinstance(self.dim, int) or isinstance(self.dim, bool) or self.dim < 1:
            raise ValueError(f"dim is {self.dim!r}; it must be a whole number of at least 1.")

    @property
    @abstractmethod
    def ambient_dim(self) -> int:
        """How many numbers a point has: the paper's extrinsic dimension."""

    @property
    @abstractmethod
    def intrinsic_dim(self) -> int:
        """How many of them are free: the dimension of the space itself."""

    @property
    @abstractmethod
    def diameters(self) -> dict[str, float]:
        """The largest distance that two points can have, for each metric."""

    @abstractmethod
    def project(self, raw: Array, *, check: bool = True) -> Array:
        """Raw numbers [..., dim] to unit-norm points [..., ambient_dim].

        Takes numpy arrays and torch tensors, with gradients; half precision is computed and returned as float32.
        Every finite input has a finite answer and finite gradients. `check=False` skips the look for NaN,
        infinity and empty batches, which a training step need not pay for.
        """

    @abstractmethod
    def distance(self, a: Array, b: Array, metric: str = "cosine") -> Array:
        """Distances of rows: [..., width] and [..., width] to [...], with the usual broadcasting."""

    @abstractmethod
    def distances(self, a: Array, b: Array, metric: str = "cosine") -> Array:
        """Distances of all pairs: [n, width] and [m, width] to [n, m]."""

    @abstractmethod
    def random(self, n: int, seed: int | np.random.Generator | None = None) -> npt.NDArray[np.float64]:
        """`n` points [n, ambient_dim], drawn uniformly from the space."""

    def check(self, points: Any) -> tuple[bool, str]:
        """Whether these are points of this space, and if not, why: `(False, "row 3 has norm 1.2, not 1.")`."""
        try:
            xp, wide = enter(points, self.ambient_dim, "points")
        except (TypeError, ValueError) as error:
            return False, str(error)
        rows = to_numpy(wide).astype(np.float64).reshape(-1, self.ambient_dim)
        off = np.abs(np.linalg.norm(rows, axis=-1) - 1)
        tolerance = 1e-5 + 2 * float(xp.finfo(points.dtype).eps)
        if off.max() > tolerance:
            row = int(off.argmax())
            return False, f"row {row} has norm {np.linalg.norm(rows[row]):.6g}, not 1."
        return self._check_rows(rows, tolerance)

    def _check_rows(self, rows: npt.NDArray[np.float64], tolerance: float) -> tuple[bool, str]:  # noqa: ARG002
        """Check what a space requires of unit-norm rows beyond their norm."""
        return True, ""

    def _check_metric(self, metric: str) -> None:
        if metric not in self.metrics:
            raise ValueError(f"metric is {metric!r}; {self.name} has {', '.join(map(repr, self.metrics))}.")


def check_pairable(a: Any, b: Any) -> None:
    """Raise an error unless both are matrices, of whose rows all pairs are taken."""
    for what, array in (("a", a), ("b", b)):
        if array.ndim != 2:
            raise ValueError(f"{what} has shape {tuple(array.shape)}; all pairs are taken of matrices [rows, numbers].")
