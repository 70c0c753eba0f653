"""A measure over a grid of runs: by dimension and KoLeo weight, a colour per space, a panel per quantiser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hypertorus.paper.experiments.table import Row
from hypertorus.report.style import COLOURS, FAINT, figure, look

LABELS = {"precision_at_1": "precision at 1", "circular_variance": "circular variance"}


def over_grid(panels: Mapping[str, Sequence[Row]], measure: str) -> Figure:
    """Draw a panel for each title and its rows; a mark is the mean over seeds, its bar their standard deviation."""
    across = 2 if len(panels) == 4 else min(3, len(panels))
    down = -(-len(panels) // across)
    with look():
        fig = figure(3.1 * across + 0.8, 2.9 * down + 0.4)
        axes = fig.subplots(down, across, squeeze=False, sharey="row").ravel()
        for ax, (title, rows) in zip(axes, panels.items(), strict=False):
            _panel(ax, rows, measure)
            ax.set_title(title)
        for ax in axes[len(panels) :]:
            ax.set_axis_off()
        for ax in axes[::across]:
            ax.set_ylabel(LABELS[measure])
        handles = {name: handle for ax in axes for handle, name in zip(*ax.get_legend_handles_labels(), strict=True)}
        fig.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=4, frameon=False)
    return fig


def _panel(ax: Any, rows: Sequence[Row], measure: str) -> None:
    dims = sorted({row["dim"] for row in rows})
    weights = sorted({row["koleo"] for row in rows})
    names = [name for name in COLOURS if any(row["space"] == name for row in rows)]
    for shift, name in enumerate(names):
        for dim_place, dim in enumerate(dims):
            x, mean, deviation = [], [], []
            for weight_place, weight in enumerate(weights):
                cell = (name, dim, weight)
                values = [row[measure] for row in rows if (row["space"], row["dim"], row["koleo"]) == cell]
                if values:
                    x.append(_place(dim_place, weight_place, len(weights)) + 0.16 * (shift - (len(names) - 1) / 2))
                    mean.append(np.mean(values))
                    deviation.append(np.std(values))
            ax.errorbar(x, mean, deviation, fmt="o-", ms=3.5, lw=1, capsize=2, color=COLOURS[name], label=name)
    ticks = [(_place(d, w, len(weights)), weight) for d in range(len(dims)) for w, weight in enumerate(weights)]
    ax.set_xticks([place for place, _ in ticks], [f"{weight:g}" for _, weight in ticks], fontsize=8, rotation=90)
    for place, dim in enumerate(dims):
        middle = _place(place, (len(weights) - 1) / 2, len(weights))
        ax.annotate(f"{dim}-D", (middle, 0), (0, 4), ("data", "axes fraction"), textcoords="offset points", ha="center")
        if place:
            ax.axvline(_place(place, -1, len(weights)), color=FAINT, lw=0.6, ls=":")
    ax.margins(y=0.14)  # room for the dimensions
    ax.set_xlabel("KoLeo weight", fontsize=9)
    ax.grid(axis="y", alpha=0.2, color=FAINT)


def _place(dim: int, weight: float, weights: int) -> float:
    return dim * (weights + 1) + weight
