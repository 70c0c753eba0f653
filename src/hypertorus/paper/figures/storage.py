"""A measure over the bits of a vector in each space: grid codes of all dimensions and depths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hypertorus.paper.experiments.table import Row
from hypertorus.report.style import COLOURS, FAINT, INK, figure, look

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
        fig = figure(4.4 * len(panels) + 1.8, 3.8)
        axes = fig.subplots(1, len(panels), squeeze=False)[0]
        for ax, (title, rows) in zip(axes, panels.items(), strict=True):
            for name in COLOURS:
                own = [row for row in rows if row["space"] == name]
                if own:
                    _space(ax, own, measure, name)
            if beside.get(title):
                without = float(np.mean([row[measure] for row in beside[title]]))
                ax.axhline(without, color=INK, lw=1, ls="--", label="without training, floats")
            ax.set(xscale="log", xlabel="bits a vector", title=title)
            bits = sorted({int(row["bits_per_vector"]) for row in rows if row["quantiser"] in MARKS})
            ax.set_xticks(bits, [str(tick) for tick in bits])
            ax.minorticks_off()
            ax.grid(alpha=0.2, color=FAINT)
        axes[0].set_ylabel(measure.replace("_", " "))
        quantisers = {row["quantiser"] for rows in panels.values() for row in rows}
        for quantiser, mark in MARKS.items():
            if quantiser not in quantisers:
                continue
            label = f"{quantiser[0]} bit{'s' * (quantiser != '1bit')} a coordinate"
            axes[-1].plot([], [], mark, color=FAINT, label=label)
        fig.legend(*axes[-1].get_legend_handles_labels(), loc="outside right upper", frameon=False, fontsize=8)
    return fig


def _space(ax: Any, rows: Sequence[Row], measure: str, name: str) -> None:
    colour = COLOURS[name]
    cells = defaultdict(list)
    for row in rows:
        if row["quantiser"] in MARKS:
            cells[row["bits_per_vector"], row["quantiser"], row["dim"]].append(row[measure])
    best: dict[float, float] = {}
    for (bits, quantiser, _), values in cells.items():
        mean = float(np.mean(values))
        ax.errorbar(bits, mean, np.std(values), fmt=MARKS[quantiser], ms=5, alpha=0.7, lw=1, color=colour)
        best[bits] = max(best.get(bits, 0), mean)
    steps = sorted(best)
    ax.plot(steps, [max(best[b] for b in steps if b <= step) for step in steps], color=colour, lw=1.2, label=name)
