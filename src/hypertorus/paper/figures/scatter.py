"""How KoLeo spreads a class over the torus: two turns of embeddings trained with growing weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from hypertorus.report.style import figure, look


def scatter(turns: Mapping[float, npt.NDArray[Any]], labels: npt.NDArray[Any], classes: Sequence[str] = ()) -> Figure:
    """Draw a panel for each KoLeo weight: the first two turns [n, >= 2] of the same inputs, coloured by class.

    Up to ten `classes` are named in a legend.
    """
    few = len(classes) <= 10 and labels.max() < 10
    with look():
        fig = figure(2.7 * len(turns) + 1.1, 3.1)
        axes = fig.subplots(1, len(turns), sharey=True, squeeze=False)[0]
        for ax, (weight, places) in zip(axes, turns.items(), strict=True):
            dots = ax.scatter(
                places[:, 0], places[:, 1], c=labels, cmap="tab10" if few else "viridis", vmin=0,
                vmax=9 if few else labels.max(), s=6, alpha=0.7,
            )  # fmt: skip
            ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
            ax.set_xticks([0, 0.5, 1], ["0", "½", "1"])
            ax.set_yticks([0, 0.5, 1], ["0", "½", "1"])
            ax.set(title=f"KoLeo weight {weight:g}", xlabel="turn 0")
            ax.spines[:].set_visible(True)
        axes[0].set_ylabel("turn 1")
        if few and classes:
            marks = [Line2D([], [], ls="", marker="o", ms=5, color=dots.to_rgba(each)) for each in range(len(classes))]
            fig.legend(marks, list(classes), title="class", loc="outside right upper", frameon=False)
    return fig
