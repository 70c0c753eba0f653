"""Few-shot accuracy over dimensions: a column per test set and one for their mean, a row per number of shots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hypertorus.paper.experiments.table import Row
from hypertorus.report.style import COLOURS, FAINT, INK, figure, look

MEAN, CHANCE, WITHOUT = "mean of all", "chance", "without training"


def few_shot(panels: Mapping[str, Sequence[Row]], beside: Mapping[str, Sequence[Row]]) -> Figure:
    """Draw a column for each title and its rows; `beside` has rows without training, drawn as dashed lines."""
    shots = sorted({row["shots"] for rows in panels.values() for row in rows}, key=int)
    titles = [*panels, MEAN] if len(panels) > 1 else [*panels]
    with look():
        fig = figure(2.8 * len(titles) + 2, 2.5 * len(shots) + 0.6)
        axes = fig.subplots(len(shots), len(titles), squeeze=False, sharey=True, sharex=True)
        for line, shot in zip(axes, shots, strict=True):
            for ax, title in zip(line, titles, strict=True):
                own = list(panels.values()) if title == MEAN else [panels[title]]
                _panel(ax, [[row for row in rows if row["shots"] == shot] for rows in own])
                without = [row["accuracy"] for row in beside.get(title, ()) if row["shots"] == shot]
                if without:
                    ax.axhline(np.mean(without), color=INK, lw=1, ls="--", label=WITHOUT)
                ax.grid(axis="y", alpha=0.2, color=FAINT)
            line[0].set_ylabel(f"accuracy, {shot} shot{'s' * (shot != '1')}")
        for ax, title in zip(axes[0], titles, strict=True):
            ax.set_title(title)
        for ax in axes[-1]:
            ax.set_xlabel("raw numbers")
        handles = {
            name: handle for ax in axes.flat for handle, name in zip(*ax.get_legend_handles_labels(), strict=True)
        }
        named = [name for name in (*COLOURS, CHANCE, WITHOUT) if name in handles]
        fig.legend([handles[name] for name in named], named, loc="outside right upper", frameon=False)
    return fig


def _panel(ax: Any, sets: Sequence[Sequence[Row]]) -> None:
    """Draw the mean and deviation, over seeds, of the mean over test sets."""
    dims = sorted({row["dim"] for rows in sets for row in rows})
    names = [name for name in COLOURS if any(row["space"] == name for rows in sets for row in rows)]
    for shift, name in enumerate(names):
        x, mean, deviation = [], [], []
        for place, dim in enumerate(dims):
            by_seed: dict[int, list[float]] = {}
            for rows in sets:
                for row in rows:
                    if (row["space"], row["dim"]) == (name, dim):
                        by_seed.setdefault(row["seed"], []).append(row["accuracy"])
            means = [float(np.mean(values)) for values in by_seed.values()]
            if means:
                x.append(place + 0.1 * (shift - (len(names) - 1) / 2))
                mean.append(np.mean(means))
                deviation.append(np.std(means))
        ax.errorbar(x, mean, deviation, fmt="o-", ms=4, lw=1.2, capsize=2, color=COLOURS[name], label=name)
    ax.axhline(np.mean([row["chance"] for rows in sets for row in rows]), color=FAINT, lw=2, label=CHANCE)
    ax.set_xticks(range(len(dims)), [str(dim) for dim in dims])
    ax.set_xlim(-0.5, len(dims) - 0.5)
