"""Measures what precision each size of the codes of a model gives, for its card."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hypertorus.codes import GridCodes
from hypertorus.datasets import Data
from hypertorus.evaluation.neighbours import nearest_codes
from hypertorus.losses.nested import coordinates, sizes
from hypertorus.models.model import Model
from hypertorus.spaces import Torus, space

DEPTHS = (8, 4, 2, 1)


@dataclass(frozen=True)
class Size:
    """A size of the codes of a model, and its precision at 1 on the test inputs."""

    coordinates: int
    bits: int
    bytes: int
    precision: float


def measured_sizes(model: Model, data: Data) -> list[Size]:
    """Measure the codes of a model at 8, 4, 2 and 1 bits and, if it is nested, cut to each size that was trained.

    On a torus all of them are cuts of the codes of 8 bits. Test inputs are searched among all training inputs.
    """
    whole = coordinates(model.space)
    if not isinstance(model.space, Torus):
        grids = [model.grid(bits) for bits in DEPTHS]
        raw = [model.rows(model.raw, part) for part in (data.train, data.test)]
        return [_size(grid, whole, [grid.encode(rows) for rows in raw], data) for grid in grids]
    codes = [model.encode(part) for part in (data.train, data.test)]
    cuts = sizes(model.space) if model.nested else (whole,)
    return [
        _size(GridCodes(_first(model, size), bits), size, [rows[:, :size] >> (8 - bits) for rows in codes], data)
        for size in cuts
        for bits in DEPTHS
    ]


def _first(model: Model, size: int) -> Any:
    """Return the space of the first coordinates of a torus."""
    return space(model.space_name, size * model.dim // coordinates(model.space))


def _size(grid: GridCodes, width: int, codes: list[Any], data: Data) -> Size:
    nearest = nearest_codes(codes[0], codes[1], 1, grid, "cosine")[:, 0]
    right = data.train.labels.numpy()[nearest] == data.test.labels.numpy()
    return Size(width, grid.bits, -(-width * grid.bits // 8), float(np.mean(right)))


def facts_of(measured: list[Size]) -> list[dict[str, Any]]:
    """Return the sizes for the configuration of the model."""
    return [asdict(size) for size in measured]
