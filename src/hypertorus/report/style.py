"""The style of every figure: a colour for each space that colour-blind readers can tell apart, and light axes."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.figure import Figure

COLOURS = {
    "sphere": "#0072B2",
    "sphere-warm": "#000000",
    "torusN": "#D55E00",
    "torusC": "#009E73",
    "torusN-soft": "#CC79A7",
    "torusN-nested": "#56B4E9",
}
"""A colour for each space, and for those that are trained otherwise than as published where they stand beside it."""
INK, FAINT = "#222222", "#9a9a9a"
DPI = 160
"""Pixels of an inch in .png files."""

LOOK: Any = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "savefig.dpi": DPI,
    "savefig.bbox": "tight",
}


def figure(width: float, height: float, layout: Literal["constrained"] | None = "constrained") -> Figure:
    """Return an empty figure of this size in inches; it needs no screen."""
    return Figure(figsize=(width, height), layout=layout)


def look() -> AbstractContextManager[None]:
    """Return a context in which figures are drawn and saved in this style."""
    return mpl.rc_context(LOOK)


def save(fig: Figure, path: Path) -> None:
    """Write the figure to a file, in the format of its suffix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with look():
        fig.savefig(path, metadata={"Software": None} if path.suffix == ".png" else None)
