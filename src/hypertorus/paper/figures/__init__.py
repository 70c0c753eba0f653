"""Every figure by its name: a function without arguments that draws it."""

from collections.abc import Callable

from matplotlib.figure import Figure

from hypertorus.paper.figures.contours import contours
from hypertorus.paper.figures.distances import distances
from hypertorus.paper.figures.projections import projections
from hypertorus.paper.figures.spaces import spaces
from hypertorus.paper.figures.steps import steps

FIGURES: dict[str, Callable[[], Figure]] = {
    "spaces": spaces,
    "projections": projections,
    "steps": steps,
    "distances": distances,
    "contours": contours,
}
