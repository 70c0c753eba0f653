"""Lines of equal distance on a torus of two circles, for its three metrics."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from hypertorus.report.style import FAINT, INK, figure, look
from hypertorus.spaces import TorusC

TITLES = {
    "l1": "l1\nthe sum of the differences",
    "l2": "l2\nthe sum of their squares",
    "cosine": "cosine\nthe metric of training",
}


def contours() -> Figure:
    """Draw lines of equal distance from the origin in one quarter of the torus; the other quarters mirror it."""
    side = np.linspace(0, 0.5, 201)
    turns = np.stack(np.meshgrid(side, side), axis=-1)
    torus = TorusC(2)
    with look():
        fig = figure(10, 3.9)
        axes = fig.subplots(1, 3, sharey=True)
        for ax, (metric, title) in zip(axes, TITLES.items(), strict=True):
            far = torus.distance(turns, np.zeros(2), metric) / torus.diameters[metric]
            image = ax.contourf(side, side, far, levels=np.linspace(0, 1, 11), cmap="cividis")
            ax.contour(side, side, far, levels=np.linspace(0, 1, 11), colors="white", linewidths=0.6)
            ax.set(title=title, xlabel="turn 0", aspect="equal")
            ax.set_xticks([0, 0.25, 0.5], ["0", "¼", "½"])
            ax.set_yticks([0, 0.25, 0.5], ["0", "¼", "½"])
        axes[0].set_ylabel("turn 1")
        style = {"color": "white", "fontsize": 9, "ha": "left"}
        axes[2].annotate("near the origin\nround, as l2", (0.02, 0.03), **style)
        axes[2].plot([0, 0.5], [0.5, 0], color=INK, lw=1, ls="--")
        axes[2].annotate("midway\nstraight, as l1", (0.27, 0.26), **{**style, "color": INK})
        bar = fig.colorbar(image, ax=axes, ticks=[0, 0.5, 1], shrink=0.85)
        bar.set_label("distance, over the largest")
        bar.outline.set_edgecolor(FAINT)
    return fig
