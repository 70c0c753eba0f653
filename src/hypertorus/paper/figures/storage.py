"""A measure over the bytes of a vector in each space: grid codes of all dimensions and depths."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hypertorus.paper.experiments.table import Row
from hypertorus.report.style import COLOURS, FAINT, INK, figure, look

ACROSS = 3
"""Number of panels side by side."""
MARKS = {"8bit": "o", "4bit": "s", "2bit": "^", "1bit": "v"}


def storage(
    panels: Mapping[str, Sequence[Row]],
    measure: str = "precision_at_1",
    beside: Mapping[str, Sequence[Row]] = MappingProxyType({}),
) -> Figure:
    """Draw a panel for each title and its rows: means over seeds of a measure of grid codes, and a line along the best.

    `beside` has rows without codes, drawn as dashed lines.
    """
    with look():
        across = min(len(panels), ACROSS)
        down = math.ceil(len(panels) / across)
        fig = figure(4.4 * across + 1.8, 3.8 * down)
        axes = fig.subplots(down, across, squeeze=False).ravel()
        for ax in axes[len(panels) :]:
            ax.remove()
        axes = axes[: len(panels)]
        for ax, (title, rows) in zip(axes, panels.items(), strict=True):
            for name in COLOURS:
                own = [row for row in rows if row["space"] == name]
                if own:
                    _space(ax, own, measure, name)
            if beside.get(title):
                without = float(np.mean([row[measure] for row in beside[title]]))
                ax.axhline(without, color=INK, lw=1, ls="--", label="without training, floats")
            ax.set(xscale="log", xlabel="bytes a vector", title=title)
            sizes = sorted({row["bits_per_vector"] / 8 for row in rows if _depth(row) in MARKS})
            ax.set_xticks(sizes, [f"{size:g}" for size in sizes])
            ax.minorticks_off()
            ax.grid(alpha=0.2, color=FAINT)
        for ax in axes[::across]:
            ax.set_ylabel(measure.replace("_", " "))
        quantisers = {_depth(row) for rows in panels.values() for row in rows}
        for quantiser, mark in MARKS.items():
            if quantiser not in quantisers:
                continue
            label = f"{quantiser[0]} bit{'s' * (quantiser != '1bit')} a coordinate"
            axes[-1].plot([], [], mark, color=FAINT, label=label)
        lines = {label: line for ax in axes for line, label in zip(*ax.get_legend_handles_labels(), strict=True)}
        fig.legend(lines.values(), lines.keys(), loc="outside right upper", frameon=False, fontsize=8)
    return fig


def _depth(row: Row) -> str:
    """Return the depth of a grid code as a name of `MARKS`, whatever its range, its cut and its prototypes are."""
    depth: str = row["quantiser"]
    return re.sub(r"-(sigma|first\d+|lengths)$", "", depth)


def _space(ax: Any, rows: Sequence[Row], measure: str, name: str) -> None:
    colour = COLOURS[name]
    for (size, depth, _, _), values in _cells(rows, measure).items():
        ax.errorbar(size, np.mean(values), np.std(values), fmt=MARKS[depth], ms=5, alpha=0.7, lw=1, color=colour)
    steps = best_codes(rows, measure)
    ax.plot([*steps], [*steps.values()], color=colour, lw=1.2, label=name)


def best_codes(rows: Sequence[Row], measure: str = "precision_at_1") -> dict[float, float]:
    """Return for each size in bytes the mean over seeds of the best grid code of at most that size.

    >>> codes = {8: 0.8, 4: 0.9}
    >>> rows = [dict(quantiser=f"{n}bit", bits_per_vector=16 * n, dim=16, p=p) for n, p in codes.items()]
    >>> best_codes(rows, "p")
    {8.0: 0.9, 16.0: 0.9}
    """
    best: dict[float, float] = {}
    for (size, *_), values in _cells(rows, measure).items():
        best[size] = max(best.get(size, 0), float(np.mean(values)))
    return {size: max(best[other] for other in best if other <= size) for size in sorted(best)}


def _cells(rows: Sequence[Row], measure: str) -> dict[tuple[float, str, str, int], list[float]]:
    """Return the values of each code by its size in bytes, depth, quantiser and dimension."""
    cells = defaultdict(list)
    for row in rows:
        if _depth(row) in MARKS:
            cells[row["bits_per_vector"] / 8, _depth(row), row["quantiser"], row["dim"]].append(row[measure])
    return cells
