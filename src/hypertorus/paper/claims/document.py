"""Writes a Markdown page of all claims, checked against several tables of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypertorus.paper.claims import BIRDSONG_CLAIMS, CLAIMS, READING, Claims, findings
from hypertorus.paper.experiments.table import Row, runs_of

Tables = Mapping[str, Sequence[Row]]
NOT_HERE = "`--scale full`: ResNet-18 on CIFAR and CvT-13 on 684,744 recordings, each for 100 epochs, need a GPU"


def claims_document(images: Tables, birdsong: Tables, command: str) -> str:
    """Return a page with a row for each claim and each table of results of its experiment."""
    lines = [
        "# Claims, and what came out here",
        "",
        *(f"* `{name}`: {_described(rows)}" for name, rows in {**images, **birdsong}.items()),
        "",
        f"{READING} Written by `{command}`.",
        *_held(images, CLAIMS),
        *_held(birdsong, BIRDSONG_CLAIMS),
    ]
    return "\n".join([*lines, "", f"Not run here: {NOT_HERE}.", ""])


def _held(tables: Tables, claims: Claims) -> list[str]:
    by_table = {name: findings(rows, claims) for name, rows in tables.items()}
    lines: list[str] = []
    for source in claims if by_table else ():
        lines += ["", f"## {source}", "", "| claim | results | measured | verdict |", "|---|---|---|---|"]
        for same_claim in zip(*(each[source] for each in by_table.values()), strict=True):
            for place, (name, finding) in enumerate(zip(tables, same_claim, strict=True)):
                claim = "" if place else finding.claim
                lines.append(f"| {claim} | {name} | {finding.measured} | **{finding.verdict}** |")
    return lines


def _described(rows: Sequence[Row]) -> str:
    runs = runs_of(rows)
    kinds = ", ".join(dict.fromkeys(f"{row['data']} ({row['trained']})" for row in runs))
    seeds = len({row["seed"] for row in runs})
    return f"{len(runs)} runs on {kinds}, {seeds} seed{'s' * (seeds > 1)}"
