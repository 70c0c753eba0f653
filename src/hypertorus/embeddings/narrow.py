"""Rows of any kind cut to their first coordinates: circles of a torus, numbers of a sphere."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes.narrow import check_coordinates
from hypertorus.spaces import Space, Torus, space


def narrowed_rows(
    rows: npt.NDArray[Any], kind: str, home: Space, coordinates: int | None
) -> tuple[npt.NDArray[Any], Space]:
    """Raw numbers, points, turns or codes of a space, cut to `coordinates`, and the space of what is left.

    Points are scaled to unit norm again. Codes of a sphere cannot be cut: their grid is that of whole vectors.
    """
    circles = home.flat_dim if isinstance(home, Torus) else home.dim
    kept = check_coordinates(coordinates, circles)
    if kept == circles:
        return rows, home
    if kind == "codes" and not isinstance(home, Torus):
        raise ValueError(
            f"coordinates is {coordinates}, but codes of the {home.name} are steps of a grid for whole vectors; embed "
            "the data as points and cut those."
        )
    smaller = space(home.name, home.dim // circles * kept)
    cut = rows[:, : rows.shape[1] // circles * kept]
    if kind != "points":
        return cut, smaller
    if isinstance(home, Torus):
        return cut * cut.dtype.type(math.sqrt(circles / kept)), smaller
    return np.asarray(smaller.project(cut)), smaller
