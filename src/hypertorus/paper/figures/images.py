"""Figures of the first two experiments, on images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from hypertorus.paper.experiments.grid import HEAD, HEADS, PRETRAINED_HEAD, TORUS_HEAD, Case
from hypertorus.paper.experiments.one_bit import one_bit_a_number
from hypertorus.paper.experiments.table import Row, case_of
from hypertorus.paper.figures.grids import over_grid
from hypertorus.paper.figures.measured import measured
from hypertorus.paper.figures.scatter import scatter as draw_scatter
from hypertorus.paper.figures.storage import storage as draw_storage
from hypertorus.spaces import Torus

if TYPE_CHECKING:
    from hypertorus.paper.experiments.experiment import Experiment

CODES = ("8bit", "4bit", "2bit", "1bit", "pq8x4", "pq8x2", "pq8x1", "pq4x4", "pq4x2")
TITLES = {"none": "floats", "8bit": "8 bits", "4bit": "4 bits", "2bit": "2 bits", "1bit": "1 bit a number"}
TRAINED = {HEAD: "heads", PRETRAINED_HEAD: "heads, network of photographs", TORUS_HEAD: "heads, network on torusN"}
SHOWN = 500
"""Number of test inputs in a scatter plot."""
USUAL = 0.001
"""The KoLeo weight of figures that show one, if there are runs of it."""


def precision(experiment: Experiment) -> Figure:
    """Draw precision at 1 of floats, over dimensions and KoLeo weights."""
    return over_grid(_by_kind(measured(experiment.table, metric="cosine", quantiser="none")), "precision_at_1")


def storage(experiment: Experiment) -> Figure:
    """Draw precision at 1 of grid codes against their bits, at one KoLeo weight."""
    return draw_storage(_by_kind(usual_rows(experiment)))


def usual_rows(experiment: Experiment) -> list[Row]:
    """Return the rows of heads, or of whole networks if there are none, at the usual KoLeo weight or the lowest."""
    rows = _grid(measured(experiment.table, metric="cosine"), HEADS)
    weights = {row["koleo"] for row in rows}
    weight = USUAL if USUAL in weights else min(weights)
    return [row for row in rows if row["koleo"] == weight]


def quantised(experiment: Experiment) -> Figure:
    """Draw precision at 1 after each quantiser, on the last data set."""
    return over_grid(_panels(experiment, CODES), "precision_at_1")


def variance(experiment: Experiment) -> Figure:
    """Draw the circular variance of floats and codes, on the last data set."""
    return over_grid(_panels(experiment, ("none", "8bit", "1bit", "pq8x4", "pq8x1", "pq4x4")), "circular_variance")


def scatter(experiment: Experiment) -> Figure:
    """Draw two turns of test inputs at each KoLeo weight, in the widest torusN of the last data set."""
    cases = _scatter_cases(experiment)
    data = experiment.inputs(cases[0])
    part = data.test
    part = part.take(range(min(SHOWN, len(part))))
    turns = {}
    for case in cases:
        model = experiment.model(case)
        assert isinstance(model.space, Torus)
        turns[case.koleo] = model.space.turns(model.rows(model.raw, part))
    return draw_scatter(turns, part.labels.numpy(), data.classes)


def _by_kind(rows: list[Row]) -> dict[str, list[Row]]:
    """Return the rows of each data set and way to train by a title; what different networks know must not be mixed."""
    kinds = sorted(dict.fromkeys((row["data"], row["trained"]) for row in rows))
    return {
        f"{data}, {TRAINED.get(trained, trained)}": [row for row in rows if (row["data"], row["trained"]) == kind]
        for kind in kinds
        for data, trained in [kind]
    }


def _data(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(row["data"] for row in rows))


def _grid(rows: list[Row], heads: tuple[str, ...] = (HEAD,)) -> list[Row]:
    """Return the rows of these heads if there are any, else those of whole networks."""
    return [row for row in rows if row["trained"] in heads] or rows


def _panels(experiment: Experiment, quantisers: tuple[str, ...]) -> dict[str, list[Row]]:
    rows = _grid(measured(one_bit_a_number(experiment.table), metric="cosine"))
    last = _data(rows)[-1]
    own = [row for row in rows if row["data"] == last]
    panels = {
        f"{last}, {TITLES.get(name, name)}": [row for row in own if row["quantiser"] == name] for name in quantisers
    }
    return {title: rows for title, rows in panels.items() if rows}


def _scatter_cases(experiment: Experiment) -> list[Case]:
    rows = [
        row for row in _grid(measured(experiment.table, metric="cosine", quantiser="none")) if row["space"] == "torusN"
    ]
    if not rows:
        raise ValueError(f"{experiment.table.path} has no run of torusN to draw; run some first.")
    cases = {case_of(row) for row in rows if row["data"] == _data(rows)[-1]}
    widest, first = max(case.dim for case in cases), min(case.seed for case in cases)
    return sorted((case for case in cases if (case.dim, case.seed) == (widest, first)), key=lambda case: case.koleo)
