"""Measures a model on unseen species: few-shot accuracy of floats and of codes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hypertorus.codes import GridCodes
from hypertorus.evaluation import few_shot
from hypertorus.paper.experiments.birdsong.scales import BirdsongScale
from hypertorus.paper.experiments.table import OK, Columns, Row
from hypertorus.spaces import Space, Torus

if TYPE_CHECKING:
    from hypertorus.datasets import Part

COLUMNS = Columns(
    keys=("test", "quantiser", "shots", "ways"),
    measures=("accuracy", "interval", "deviation", "chance", "episodes", "bits_per_vector"),
)
ALL = "all"
"""Value of `ways` for episodes of all species of a test set."""
FLOATS = "none"
LENGTHS = "-lengths"
"""End of the name of a quantiser on a torus whose prototypes keep the lengths of their means."""


def measurements(scale: BirdsongScale, *, codes: bool, torus: bool) -> list[tuple[str, int, int | None]]:
    """Return the quantiser, shots and ways of each measurement."""
    grids = [f"{bits}bit" for bits in scale.bits if codes]
    quantisers = [FLOATS, *grids, *(grid + LENGTHS for grid in grids if torus)]
    return list(product(quantisers, scale.shots, scale.ways))


def keys_of(test: str, quantiser: str, shots: int, ways: int | None) -> Row:
    return {"test": test, "quantiser": quantiser, "shots": str(shots), "ways": ALL if ways is None else str(ways)}


def measure(
    raw: npt.NDArray[np.float32],
    part: Part,
    test: str,
    space: Space,
    scale: BirdsongScale,
    grids: Mapping[str, GridCodes] | None = None,
) -> list[Row]:
    """Return a row for each measurement of the raw numbers of a test set; without `grids`, only of floats."""
    labels, groups = part.labels.numpy(), None if part.groups is None else part.groups.numpy()
    rows = []
    torus = isinstance(space, Torus)
    for name, shots, ways in measurements(scale, codes=bool(grids), torus=torus):
        grid = None if name == FLOATS or grids is None else grids[name.removesuffix(LENGTHS)]
        points, codes = raw, grid
        if grid is not None and not torus:
            # A sphere's codes do not wrap around, so its prototypes are means of the decoded codes.
            points, codes = grid.decode(grid.encode(raw)), None
        result = few_shot(
            points,
            labels,
            space,
            codes,
            shots=shots,
            ways=ways,
            groups=groups,
            one_per_group=groups is not None,
            lengths=name.endswith(LENGTHS),
        )
        numbers = {column: getattr(result, column) for column in COLUMNS.measures}
        if grid is not None:
            numbers["bits_per_vector"] = grid.bits_per_vector
        rows.append({**keys_of(test, name, shots, ways), "status": OK, **numbers})
    return rows
