"""Measures every trained model with each quantiser, and on a torus with each metric and the paper's own variants."""

from __future__ import annotations

from dataclasses import asdict

from hypertorus.codes import Quantiser, quantiser
from hypertorus.datasets import Data
from hypertorus.evaluation import evaluate_split
from hypertorus.models.model import Model
from hypertorus.paper.experiments.table import OK, Columns, Row
from hypertorus.spaces import Space, Torus
from hypertorus.training.sizes import measured_sizes

COLUMNS = Columns(
    keys=("quantiser", "metric"),
    measures=(
        "precision_at_1", "precision_at_k", "recall_at_k", "circular_variance", "entropy", "distinct", "bits_used",
        "bits_per_vector", "neighbour_recall",
    ),
)  # fmt: skip
QUANTISERS = (
    "none", "8bit", "4bit", "2bit", "1bit", "pq8x16", "pq8x4", "pq8x2", "pq8x1", "pq4x4", "pq4x2",
)  # fmt: skip
"""Quantisers of the paper, and two grids between its 8 and its 1 bit."""
GRIDS = ("8bit", "4bit", "2bit")
"""Quantisers whose nearest neighbours are also compared with those of the floats."""
METRICS = [(bits, metric) for bits in GRIDS for metric in ("l1", "l2")]
"""Metrics for codes of a torus, besides the cosine of training."""
AROUND_THE_MEAN = ("4bit-sigma", "2bit-sigma", "1bit-sigma")
"""Grids of the sphere that suit it better than those from minimum to maximum, as published."""
AS_PUBLISHED = ("8bit-minmax", "1bit-minmax", "pq8x4-plain", "pq4x4-plain", "pq8x4-published", "pq4x4-published")
"""Quantisers of a torus that break the circle, as the paper's code does."""


def measurements(space: Space) -> list[tuple[str, str]]:
    """Return the quantiser and metric of each measurement."""
    everywhere = [(name, "cosine") for name in QUANTISERS]
    if not isinstance(space, Torus):
        return [*everywhere, *((name, "cosine") for name in AROUND_THE_MEAN)]
    return [*everywhere, *METRICS, *((name, "cosine") for name in AS_PUBLISHED)]


def measure(model: Model, data: Data) -> list[Row]:
    """Return a row for each measurement of test inputs, searched among training inputs."""
    raw = [model.rows(model.raw, part) for part in (data.train, data.test)]
    labels = [part.labels.numpy() for part in (data.train, data.test)]
    rows: list[Row] = []
    for name, metric in measurements(model.space):
        made = _quantiser(name, model.space)
        if made is None and name != "none":
            rows.append({"quantiser": name, "metric": metric, "status": "the dimensions do not divide"})
            continue
        sets = (raw[0], labels[0], raw[1], labels[1], model.space, made)
        result = evaluate_split(*sets, metric=metric, agreement=name in GRIDS)
        measured = {column: value for column, value in asdict(result).items() if column in COLUMNS.measures}
        rows.append({"quantiser": name, "metric": metric, "status": OK, **measured})
    return rows


def measure_cuts(model: Model, data: Data) -> list[Row]:
    """Return a row for each cut of the codes of a nested torus: its first coordinates, at each depth."""
    sizes = measured_sizes(model, data)
    whole = max(size.coordinates for size in sizes)
    return [
        {
            "quantiser": f"{size.bits}bit-first{size.coordinates}",
            "metric": "cosine",
            "status": OK,
            "precision_at_1": size.precision,
            "bits_per_vector": size.coordinates * size.bits,
        }
        for size in sizes
        if size.coordinates < whole
    ]


def _quantiser(name: str, space: Space) -> Quantiser | None:
    try:
        return None if name == "none" else quantiser(name, space)
    except ValueError:
        return None
