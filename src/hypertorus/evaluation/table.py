"""Formats rows of measures as a table for the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from hypertorus.evaluation.row import Row

COLUMNS = {
    "space": "space",
    "dim": "dim",
    "quantiser": "quantiser",
    "bits_per_vector": "bits",
    "precision_at_1": "P@1",
    "precision_at_k": "P@{k}",
    "recall_at_k": "R@{k}",
    "r_precision": "R-prec.",
    "map_at_r": "MAP@R",
    "circular_variance": "var.",
    "entropy": "entr.",
    "distinct": "codes",
    "bits_used": "used",
    "neighbour_recall": "agree",
    "rank_agreement": "order",
}

CAPTION = """P@k, R@k: precision, recall among k neighbours. var.: circular variance.
entr.: entropy in nats. codes: distinct ones. used: bits a coordinate.
agree: share of the neighbours that floats find. order: Kendall's tau with theirs."""


def table(rows: Iterable[Row]) -> Table:
    """Return a table of the rows; values that all share are in the title, and columns that none has are left out."""
    rows = list(rows)
    shared = {name for name in ("space", "dim") if len({getattr(row, name) for row in rows}) == 1}
    title = ", ".join(f"{name} {getattr(rows[0], name)}" for name in ("space", "dim") if name in shared)
    shown = Table(title=title or None, caption=CAPTION, box=SIMPLE_HEAD, padding=0, pad_edge=False)
    shown.title_justify = shown.caption_justify = "left"
    used = [n for n in COLUMNS if n not in shared and any(getattr(row, n) is not None for row in rows)]
    for name in used:
        left = name in ("space", "quantiser")
        shown.add_column(COLUMNS[name].format(k=rows[0].k), justify="left" if left else "right", no_wrap=True)
    for row in rows:
        shown.add_row(*(_cell(getattr(row, name)) for name in used))
    return shown


def _cell(value: Any) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
