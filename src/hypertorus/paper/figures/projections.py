"""The paper's rainbow figure: the two projections of the plane."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from hypertorus.report.style import figure, look
from hypertorus.spaces import TorusC, TorusN

EDGE = 1.5


def projections() -> Figure:
    """Draw the plane of two raw numbers, coloured by the turns that each place is projected to."""
    side = np.linspace(-EDGE, EDGE, 601)
    raw = np.stack(np.meshgrid(side, side), axis=-1)
    angle, wrapped = TorusN(2).turns(raw), TorusC(2).turns(raw)
    panels = {
        "torusN\none turn, the angle": angle[..., 0],
        "torusC\nfirst turn, the first number": wrapped[..., 0],
        "torusC\nsecond turn, the second number": wrapped[..., 1],
    }
    with look():
        fig = figure(9, 3.4)
        axes = fig.subplots(1, 3, sharey=True)
        for ax, (title, turns) in zip(axes, panels.items(), strict=True):
            extent = (-EDGE, EDGE, -EDGE, EDGE)
            image = ax.imshow(turns, origin="lower", extent=extent, cmap="twilight", vmin=0, vmax=1)
            ax.set_title(title)
            ax.set_xlabel("raw number 0")
            ax.set_xticks([-1, 0, 1])
        axes[0].set_ylabel("raw number 1")
        axes[0].set_yticks([-1, 0, 1])
        fig.colorbar(image, ax=axes, label="turns", ticks=[0, 0.5, 1], shrink=0.85)
    return fig
