"""The base of both tori: turns and points are two views of the same place, and distances wrap around."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.spaces._arrays import Array, all_pairs, enter, namespace
from hypertorus.spaces._pairs import clifford, turns_of_pairs
from hypertorus.spaces.protocol import Space, check_pairable


class Torus(Space):
    """A product of `flat_dim` circles.

    *Turns* [..., flat_dim] are its flat view: an angle on each circle in whole turns, in [0, 1), where 0.99 and 0.01
    are close. A *point* [..., 2 flat_dim] is its Clifford view: the cosine and sine of each angle, interleaved,
    scaled to unit norm. Distances take either, or one of each: points are always twice as wide as turns.

    Metrics, over the wrapped differences d of the turns: `l1` = sum |d|, `l2` = sum d^2, and
    `cosine` = mean(1 - cos 2 pi d), which is one minus the dot product of the points.
    """

    metrics = ("cosine", "l1", "l2")

    @property
    @abstractmethod
    def flat_dim(self) -> int:
        """How many circles there are: the width of turns, and of the codes made from them."""

    @property
    def ambient_dim(self) -> int:
        return 2 * self.flat_dim

    @property
    def intrinsic_dim(self) -> int:
        return self.flat_dim

    @property
    def diameters(self) -> dict[str, float]:
        return {"cosine": 2.0, "l1": self.flat_dim / 2, "l2": self.flat_dim / 4}

    @abstractmethod
    def turns(self, raw: Array, *, check: bool = True) -> Array:
        """Raw numbers [..., dim] to turns [..., flat_dim] in [0, 1): the flat view of `project(raw)`."""

    def turns_of_point(self, point: Array, *, check: bool = True) -> Array:
        """A point [..., ambient_dim] to its turns [..., flat_dim], by arctan2."""
        xp, point = enter(point, self.ambient_dim, "point", check=check)
        return turns_of_pairs(xp, point, shortest=0.0)

    def point(self, turns: Array, *, check: bool = True) -> Array:
        """Turns [..., flat_dim], in [0, 1) or not, to the point [..., ambient_dim]."""
        xp, turns = enter(turns, self.flat_dim, "turns", check=check)
        return clifford(xp, turns)

    def distance(self, a: Array, b: Array, metric: str = "cosine") -> Array:
        self._check_metric(metric)
        xp, a, b = self._enter_both(a, b)
        if metric == "cosine" and a.shape[-1] == b.shape[-1] == self.ambient_dim:
            chord = a - b
            return xp.sum(chord * chord, axis=-1) / 2
        return _distance(xp, self._as_turns(a), self._as_turns(b), metric)

    def distances(self, a: Array, b: Array, metric: str = "cosine") -> Array:
        self._check_metric(metric)
        xp, a, b = self._enter_both(a, b)
        check_pairable(a, b)
        if metric == "cosine":
            dot = xp.matmul(self._as_point(a), xp.matrix_transpose(self._as_point(b)))
            return 1 - xp.clip(dot, -1.0, 1.0)
        a, b = self._as_turns(a), self._as_turns(b)
        return all_pairs(xp, a, b, lambda rows, others: _distance(xp, rows, others, metric))

    def random(self, n: int, seed: int | np.random.Generator | None = None) -> npt.NDArray[np.float64]:
        return self.point(np.random.default_rng(seed).random((n, self.flat_dim)))

    def _enter_both(self, a: Any, b: Any) -> tuple[Any, Any, Any]:
        xp, a = self._enter_either(a, "a")
        return xp, a, self._enter_either(b, "b")[1]

    def _enter_either(self, array: Any, what: str) -> tuple[Any, Any]:
        shape = tuple(getattr(array, "shape", ()))
        if namespace(array) is not None and shape[-1:] not in ((self.flat_dim,), (self.ambient_dim,)):
            wanted = f"{self.flat_dim} numbers (turns) or {self.ambient_dim} (a point)"
            raise ValueError(f"{what} has shape {shape}; its last axis must hold {wanted}.")
        return enter(array, shape[-1] if shape else self.flat_dim, what)

    def _as_turns(self, array: Any) -> Any:
        return array if array.shape[-1] == self.flat_dim else self.turns_of_point(array, check=False)

    def _as_point(self, array: Any) -> Any:
        return array if array.shape[-1] == self.ambient_dim else self.point(array, check=False)

    def _check_rows(self, rows: npt.NDArray[np.float64], tolerance: float) -> tuple[bool, str]:
        radius = math.sqrt(1 / self.flat_dim)
        off = np.abs(np.linalg.norm(rows.reshape(-1, self.flat_dim, 2), axis=-1) / radius - 1)
        if off.max() <= tolerance:
            return True, ""
        row, pair = np.unravel_index(off.argmax(), off.shape)
        length = np.linalg.norm(rows[row, 2 * pair : 2 * pair + 2])
        return False, f"row {row} has a pair of length {length:.6g} at {2 * pair}, not {radius:.6g}."


def _distance(xp: Any, a: Any, b: Any, metric: str) -> Any:
    difference = a - b
    difference = difference - xp.round(difference)
    if metric == "l1":
        return xp.sum(xp.abs(difference), axis=-1)
    if metric == "l2":
        return xp.sum(difference * difference, axis=-1)
    half_sine = xp.sin(difference * math.pi)
    return xp.mean(2 * half_sine * half_sine, axis=-1)
