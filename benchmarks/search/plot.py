"""The table as a picture: queries per second against bytes a vector, a line a contestant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypertorus.report.style import COLOURS, figure, look, save

SHOWN = {
    "hypertorus 8-bit l1": (COLOURS["torusN"], "-", "o"),
    "hypertorus 8-bit cosine": (COLOURS["torusN"], "--", "s"),
    "faiss PQFastScan": ("#0072B2", "-", "^"),
    "faiss BinaryFlat": ("#0072B2", "--", "v"),
    "torch matmul + topk float32": ("#009E73", "-", "D"),
    "faiss FlatIP float32": ("#56B4E9", "-", "P"),
    "usearch exact int8": ("#CC79A7", "-", "X"),
    "numpy": ("#999999", "-", "*"),
}


def plot(blocks: list[dict[str, Any]], path: Path) -> None:
    rows = [block for block in blocks if block["data"] == "random" and block["threads"] == 1 and block["bytes"] >= 16]
    with look():
        fig = figure(9.5, 4.2)
        axes = fig.subplots(1, 2, sharey=True)
        for ax, mode, title in zip(axes, ("batch", "single"), ("batch of 256", "one query at a time"), strict=True):
            for name, (colour, line, marker) in SHOWN.items():
                x = [row["bytes"] for row in rows]
                ax.plot(x, [row[mode][name] for row in rows], line, marker=marker, color=colour, label=name)
            ax.set(xscale="log", yscale="log", xlabel="bytes a vector", title=title)
            ax.set_xticks([row["bytes"] for row in rows], [str(row["bytes"]) for row in rows])
            ax.minorticks_off()
            ax.grid(alpha=0.25)
        axes[0].set_ylabel("queries per second, 1,000,000 vectors")
        fig.legend(*axes[0].get_legend_handles_labels(), loc="outside right center", frameon=False)
        save(fig, path)
