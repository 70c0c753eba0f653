"""The card of a model: a README in its folder that says what it is and what precision each size of its codes gives."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hypertorus.codes import GridCodes
from hypertorus.datasets import Data
from hypertorus.evaluation.neighbours import nearest_codes
from hypertorus.files.atomic import replacing
from hypertorus.losses.nested import coordinates, sizes
from hypertorus.models.model import Model
from hypertorus.spaces import Torus, space

CARD = "README.md"
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


def write_card(folder: Path, model: Model) -> None:
    """Write the card of a model that was saved in this folder, from what it knows of its training."""
    facts = model.training_facts
    floats = f"{facts['test']:.3f} as floats, by guessing {facts['chance']:.3f}"
    lines = [
        "---",
        "library_name: hypertorus",
        "tags: [embeddings, torus, quantisation]",
        "---",
        "",
        f"# {model.space_name}, {model.dim} raw numbers, trained on {facts['data']}",
        "",
        f"Precision at 1 of test inputs among training inputs: {floats}. Its settings are in `config.json`.",
        "",
        *_table(model, [Size(**size) for size in facts["sizes"]]),
        "",
        "```python",
        "import hypertorus as ht",
        "",
        'model = ht.load("path/of/this/folder")',
        "codes = model.encode(inputs)",
        "```",
        "",
    ]
    with replacing(folder / CARD) as file:
        file.write("\n".join(lines).encode())


def _table(model: Model, measured: list[Size]) -> list[str]:
    if model.nested and isinstance(model.space, Torus):
        how = (
            "The model is nested: its first coordinates are an embedding, too. A code of 8 bits is cut to `a` "
            "coordinates of `n` bits by `codes[:, :a] >> (8 - n)`."
        )
    elif isinstance(model.space, Torus):
        how = "A code of 8 bits is cut to `n` bits by `codes >> (8 - n)`."
    else:
        how = "Codes are on a grid that was fitted to the training inputs."
    rows = [f"| {s.coordinates} | {s.bits} | {s.bytes} | {s.precision:.3f} |" for s in measured]
    return [how, "", "| coordinates | bits | bytes | precision at 1 |", "|---|---|---|---|", *rows]


def facts_of(measured: list[Size]) -> list[dict[str, Any]]:
    """Return the sizes for the configuration of the model."""
    return [asdict(size) for size in measured]
