"""Every figure there is, by its name: of the images, of birdsong, or of nothing but the spaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from hypertorus.paper.birdsong_results import BIRDSONG_FIGURES
from hypertorus.paper.figures import FIGURES
from hypertorus.paper.results import RESULT_FIGURES

if TYPE_CHECKING:
    from hypertorus.paper.experiments.experiment import Experiment

NAMES = (*FIGURES, *RESULT_FIGURES, *BIRDSONG_FIGURES)


def draw(name: str, ran: Callable[[str], Experiment]) -> Figure:
    """A figure; `ran` gives the experiment of a name, for those that need one."""
    if name in FIGURES:
        return FIGURES[name]()
    if name in RESULT_FIGURES:
        return RESULT_FIGURES[name](ran("images"))
    if name in BIRDSONG_FIGURES:
        return BIRDSONG_FIGURES[name](ran("birdsong"))
    raise ValueError(f"figure is {name!r}; there are {', '.join(NAMES)}.")
