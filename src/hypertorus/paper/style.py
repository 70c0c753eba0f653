"""One look for every figure: a colour per space that colour-blind readers can tell apart, and quiet axes."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

COLOURS = {"sphere": "#0072B2", "torusN": "#D55E00", "torusC": "#009E73"}
INK, FAINT = "#222222", "#9a9a9a"

LOOK = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "savefig.dpi": 160,
    "savefig.bbox": "tight",
}


def figure(width: float, height: float, layout: str | None = "constrained") -> Figure:
    """An empty figure in the house look, `width` x `height` inches; it needs no screen."""
    with mpl.rc_context(LOOK):
        return Figure(figsize=(width, height), layout=layout)


def look() -> Any:
    """The house look for everything drawn inside `with look():`."""
    return mpl.rc_context(LOOK)
