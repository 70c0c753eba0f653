"""Draws precision at 1 against the size of a code in bits."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from hypertorus.evaluation import Row
from hypertorus.report.style import COLOURS, FAINT, figure, look


def precision_by_bits(rows: Sequence[Row]) -> Figure:
    """Draw a dot for each quantiser, and for each space a line at the precision of floats."""
    with look():
        fig = figure(6.5, 4)
        ax = fig.subplots()
        for name in dict.fromkeys(row.space for row in rows):
            own = sorted((row for row in rows if row.space == name), key=lambda row: row.bits_per_vector)
            codes = [row for row in own if row.quantiser != "none"]
            x, y = [row.bits_per_vector for row in codes], [row.precision_at_1 for row in codes]
            ax.plot(x, y, "o", color=COLOURS[name], label=name)
            for place in dict.fromkeys(zip(x, y, strict=True)):
                names = [row.quantiser for row in codes if (row.bits_per_vector, row.precision_at_1) == place]
                ax.annotate(", ".join(names), place, (6, -11), textcoords="offset points", fontsize=8)
            for row in own:
                if row.quantiser == "none":
                    ax.axhline(row.precision_at_1, color=COLOURS[name], lw=1, ls="--", label=f"{name}, floats")
        ax.set(xscale="log", xlabel="bits a vector", ylabel="precision at 1")
        ticks = sorted({row.bits_per_vector for row in rows if row.quantiser != "none"})
        ax.set_xticks(ticks, [str(tick) for tick in ticks])
        ax.minorticks_off()
        ax.grid(alpha=0.2, color=FAINT)
        ax.legend(frameon=False)
    return fig
