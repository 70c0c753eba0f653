"""Draws training curves: loss and precision at 1 over the epochs."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from matplotlib.figure import Figure

from hypertorus.report.style import COLOURS, FAINT, figure, look

Curve = list[dict[str, float]]


def read_curve(file: Path) -> Curve:
    """Return the rows of the `metrics.csv` of a run."""
    with file.open(newline="") as lines:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(lines)]


def curves(runs: Mapping[str, Curve]) -> Figure:
    """Draw a line for each run, by name; the name begins with the space, and its second run is dashed."""
    panels = {"loss": "training loss", "precision": "validation precision at 1"}
    with look():
        fig = figure(8, 3.2)
        for ax, (column, title) in zip(fig.subplots(1, 2), panels.items(), strict=True):
            spaces: set[str] = set()
            for name, rows in runs.items():
                space = name.split()[0]
                epochs = [row["epoch"] for row in rows]
                values = [row[column] for row in rows]
                marker = "o" if len(rows) < 40 else None
                line = "--" if space in spaces else "-"
                ax.plot(epochs, values, line, marker=marker, ms=3, color=COLOURS[space], label=name)
                spaces.add(space)
            ax.set(xlabel="epoch", title=title)
            ax.xaxis.get_major_locator().set_params(integer=True)
            ax.grid(alpha=0.2, color=FAINT)
        ax.legend(frameon=False, loc="lower right")
    return fig
