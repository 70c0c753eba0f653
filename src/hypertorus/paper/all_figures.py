"""Every figure of the paper by name: the function that draws it, the experiment that it shows, and its caption."""

from __future__ import annotations

from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hypertorus.paper.experiments.experiment import Experiment


@dataclass(frozen=True)
class PaperFigure:
    """A figure, the experiment that it shows, and its caption."""

    function: str
    """Function that draws it, as module:function in `paper/figures`; it is imported late because some need torch."""
    experiment: str | None
    """The experiment whose results it shows, `images` or `birdsong`; None if it needs none."""
    caption: str

    def draw(self, experiment: Experiment | None = None) -> Figure:
        """Draw it, from the experiment if it shows one."""
        function = resolve_name(f"hypertorus.paper.figures.{self.function}")
        figure: Figure = function() if self.experiment is None else function(experiment)
        return figure


FIGURES = {
    "storage": PaperFigure(
        "images:storage",
        "images",
        "What bytes buy: precision at 1 of codes of all dimensions, at 8, 4, 2 and 1 bits a coordinate (the shape "
        "of a mark), trained with a KoLeo weight of 0.001. Each line follows the best code of at most so many "
        "bytes; bars are the standard deviation over seeds.",
    ),
    "precision": PaperFigure(
        "images:precision",
        "images",
        "Precision at 1 of embeddings as floats, by the number of raw numbers (16-D, 64-D) and, within each, by the "
        "KoLeo weight, which grows from left to right. Marks are means over seeds, bars their standard deviation.",
    ),
    "quantised": PaperFigure(
        "images:quantised",
        "images",
        "The same after each quantiser. pq8x4 is product quantisation with 4 pieces of 8 bits each, 32 bits in all.",
    ),
    "variance": PaperFigure(
        "images:variance",
        "images",
        "How evenly embeddings are spread: a circular variance of 0 is one point, 1 is as even as can be.",
    ),
    "scatter": PaperFigure(
        "images:scatter",
        "images",
        "The first two turns of test inputs, coloured by class, on torusN trained with growing KoLeo weights: the "
        "larger the weight, the further a class is spread.",
    ),
    "birdsong": PaperFigure(
        "birdsong:birdsong",
        "birdsong",
        "Species the network never heard, told by one or five examples of each among all of a test set: "
        "accuracy over the size of the embedding. Grey is chance, dashed what there is without training.",
    ),
    "birdsong-codes": PaperFigure(
        "birdsong:birdsong_codes",
        "birdsong",
        "The same as codes: five species, five examples of each. On a torus a species is the circular "
        "mean of its examples' codes, itself a code, and the nearest is found by adding integers.",
    ),
    "spaces": PaperFigure(
        "spaces:spaces",
        None,
        "The three spaces. A cloud of random raw numbers and, in black, a straight walk among them, "
        "as each space sees it. On a torus nothing has an edge: what leaves on one side comes back on the other.",
    ),
    "projections": PaperFigure(
        "projections:projections",
        None,
        "What the two projections make of a plane of two raw numbers. torusN keeps the angle and "
        "forgets the length; torusC wraps each number around by itself.",
    ),
    "steps": PaperFigure(
        "steps:steps",
        None,
        "One large gradient step, and one 15% larger, on the first circle and on the flat square. torusN projects "
        "it back, so that no step turns by a quarter or more; on torusC it winds around and may end anywhere, unless "
        "the gradient is clipped (here at 100, with a learning rate of 0.001).",
    ),
    "distances": PaperFigure(
        "distances:distances",
        None,
        "The curse of dimensionality: distances of 10,000 random pairs in growing dimension. In every space "
        "and by every metric they crowd around one value.",
    ),
    "contours": PaperFigure(
        "contours:contours",
        None,
        "Lines of equal distance from the origin on a torus of two circles, in the quarter next to it. The "
        "cosine of training is round nearby, as l2 is, and straight midway, as l1 is.",
    ),
}


def figures_of(experiment: str | None) -> list[str]:
    """Return the names of the figures that show an experiment or, for None, of those that need none.

    >>> figures_of("birdsong")
    ['birdsong', 'birdsong-codes']
    """
    return [name for name, figure in FIGURES.items() if figure.experiment == experiment]


def figure_named(name: str) -> PaperFigure:
    """Return the figure of this name."""
    if name not in FIGURES:
        raise ValueError(f"figure is {name!r}; choose one of {', '.join(FIGURES)}.")
    return FIGURES[name]
