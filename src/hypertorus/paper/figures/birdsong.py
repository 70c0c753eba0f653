"""Figures of the third experiment, on birdsong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from hypertorus.paper.experiments.birdsong.measure import ALL, FLOATS, LENGTHS
from hypertorus.paper.experiments.birdsong.scales import AS_THEY_ARE, BANDS
from hypertorus.paper.experiments.grid import END_TO_END, HEAD
from hypertorus.paper.experiments.table import Row
from hypertorus.paper.figures.few_shot import few_shot as draw_few_shot
from hypertorus.paper.figures.measured import measured
from hypertorus.paper.figures.storage import storage as draw_storage

if TYPE_CHECKING:
    from hypertorus.paper.experiments.experiment import Experiment

TITLES = {HEAD: "heads", BANDS: "heads on bands", END_TO_END: "from scratch"}


def birdsong(experiment: Experiment) -> Figure:
    """Draw the accuracy of floats among all species of a test set, as in the paper."""
    return draw_few_shot(*_panels(measured(experiment.table, quantiser=FLOATS, ways=ALL)))


def birdsong_codes(experiment: Experiment) -> Figure:
    """Draw the accuracy of codes against their bits, for five species and five examples of each.

    In every space prototypes keep the lengths of their means: on the sphere they are means of floats.
    """
    rows = measured(experiment.table, ways="5", shots="5")
    alike = [row for row in rows if row["space"] == "sphere" or row["quantiser"].endswith(LENGTHS)]
    panels, beside = _panels(alike)
    return draw_storage(panels, "accuracy", beside)


def _panels(rows: list[Row]) -> tuple[dict[str, list[Row]], dict[str, list[Row]]]:
    """Return rows of trained models by test set or by trained part, and for each of these the rows without training."""
    panels: dict[str, list[Row]] = {}
    several_tests = len({row["test"] for row in rows}) > 1
    for row in rows:
        if row["trained"] in TITLES:
            title = row["test"] if several_tests else f"{row['data']}, {TITLES[row['trained']]}"
            panels.setdefault(title, []).append(row)
    beside: dict[str, list[Row]] = {}
    for title, own in panels.items():
        same = [row for row in rows if (row["data"], row["test"]) == (own[0]["data"], own[0]["test"])]
        beside[title] = [row for row in same if row["trained"] in AS_THEY_ARE]
    return panels, beside
