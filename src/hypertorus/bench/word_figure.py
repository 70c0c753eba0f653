"""Words on a chip as a picture: every run as a point, their mean, what it must be and what would be better."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hypertorus.bench.word_table import RUNS, values_of
from hypertorus.report.style import COLOURS, figure, look, save


def plot(runs: list[dict[str, Any]], path: Path) -> None:
    """Draw a line for each measure that has a goal."""
    goals = [row for row in RUNS if row[3] is not None]
    with look():
        fig = figure(7.6, 4.2)
        ax = fig.subplots()
        for place, row in enumerate(reversed(goals)):
            *_, must, stretch = row
            assert must is not None
            assert stretch is not None
            values = values_of(row, runs)
            ax.plot(values, [place] * len(values), "o", color="#999999", markersize=5, label="a run")
            ax.plot(np.mean(values), place, "D", color=COLOURS["torusN"], markersize=8, label="mean")
            ax.plot(must, place, "|", color="black", markersize=18, label="at least")
            ax.plot(stretch, place, "|", color="#009E73", markersize=18, markeredgewidth=2, label="stretch")
        ax.set_yticks(range(len(goals)), [row[0] for row in reversed(goals)])
        left = min([0.5, *(value - 0.02 for row in goals for value in values_of(row, runs))])
        ax.set(xlabel="share, of speakers and species never heard", xlim=(left, 1.0), ylim=(-0.6, len(goals) - 0.4))
        ax.grid(alpha=0.25, axis="x")
        handles, labels = ax.get_legend_handles_labels()
        ax.legend(handles[:4], labels[:4], loc="lower left", bbox_to_anchor=(0, 1.0), ncol=4, frameon=False)
        save(fig, path)
