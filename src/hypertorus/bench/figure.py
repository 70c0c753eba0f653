"""The engines as a picture: queries per second against recall, a curve an engine, exact search as points."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from hypertorus.bench.engines import Comparison
from hypertorus.report.style import COLOURS, figure, look, save

STYLES = {
    "exact": (COLOURS["torusN"], "X", "exact, plain scan"),
    "exact-cells": (COLOURS["torusN"], "*", "exact, in cells"),
    "usearch": ("#0072B2", "o", "usearch, graph by our metric"),
    "faiss-flat": ("#56B4E9", "v", "faiss, all 2-bit views, reranked"),
    "faiss-ivf": ("#009E73", "s", "faiss, cells of 2-bit views, reranked"),
    "faiss-hnsw": ("#CC79A7", "^", "faiss, graph of 2-bit views, reranked"),
}


def plot(found: Comparison, path: Path) -> None:
    """Draw a panel for each kind of codes."""
    panels = {kind: list(own) for kind, own in groupby(found.engines, key=lambda measured: measured.data)}
    with look():
        fig = figure(3.4 * len(panels) + 1.2, 4.6)
        axes = fig.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for ax, (kind, own) in zip(axes, panels.items(), strict=True):
            for result in own:
                colour, marker, label = STYLES[result.engine]
                exact = result.points[0].effort is None
                ax.plot(
                    [point.recall for point in result.points],
                    [point.batch for point in result.points],
                    marker=marker,
                    color=colour,
                    label=label,
                    markersize=13 if exact else 5,
                    linestyle="none" if exact else "-",
                    clip_on=False,
                    zorder=3 if exact else 2,
                )
            ax.set(yscale="log", xlabel="recall of the 10 nearest", title=f"{kind} codes")
            ax.grid(alpha=0.25)
        axes[0].set_ylabel("queries per second of one core, 256 at once")
        fig.suptitle(found.title)
        handles, labels = axes[0].get_legend_handles_labels()
        fig.legend(handles, labels, loc="outside lower center", ncols=len(panels), frameon=False)
        save(fig, path)
