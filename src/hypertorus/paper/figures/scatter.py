"""How KoLeo spreads a class over the torus: two turns of embeddings trained with growing weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt
from matplotlib.figure import Figure

from hypertorus.report.style import figure, look


def scatter(turns: Mapping[float, npt.NDArray[Any]], labels: npt.NDArray[Any]) -> Figure:
    """Draw a panel for each KoLeo weight: the first two turns [n, >= 2] of the same inputs, coloured by class."""
    with look():
        fig = figure(2.7 * len(turns) + 0.3, 3.1)
        axes = fig.subplots(1, len(turns), sharey=True, squeeze=False)[0]
        for ax, (weight, places) in zip(axes, turns.items(), strict=True):
            ax.scatter(
                places[:, 0], places[:, 1], c=labels, cmap="tab10" if labels.max() < 10 else "viridis", s=6, alpha=0.7
            )
            ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
            ax.set_xticks([0, 0.5, 1], ["0", "½", "1"])
            ax.set_yticks([0, 0.5, 1], ["0", "½", "1"])
            ax.set(title=f"KoLeo weight {weight:g}", xlabel="turn 0")
            ax.spines[:].set_visible(True)
        axes[0].set_ylabel("turn 1")
    return fig
