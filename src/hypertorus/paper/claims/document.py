"""All claims held against several tables of results, as a Markdown page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypertorus.paper.claims import READING, findings
from hypertorus.paper.claims.finding import Row

NOT_HERE = (
    "few-shot birdsong (its third experiment: other data, another loss)",
    "ResNet-18 trained for 100 epochs (`--scale full`: it needs a GPU, and no run of it is recorded here)",
)


def claims_document(tables: Mapping[str, Sequence[Row]], command: str) -> str:
    """A page with a row for each claim and table of results."""
    found = {name: findings(rows) for name, rows in tables.items()}
    lines = [
        "# Claims, and what came out here",
        "",
        *(f"* `{name}`: {_described(rows)}" for name, rows in tables.items()),
        "",
        f"{READING} Written by `{command}`.",
    ]
    for whose in next(iter(found.values())):
        lines += ["", f"## {whose}", "", "| claim | results | measured | verdict |", "|---|---|---|---|"]
        for same_claim in zip(*(each[whose] for each in found.values()), strict=True):
            for place, (name, finding) in enumerate(zip(tables, same_claim, strict=True)):
                claim = "" if place else finding.claim
                lines.append(f"| {claim} | {name} | {finding.measured} | **{finding.verdict}** |")
    return "\n".join([*lines, "", "Not testable here so far: " + "; ".join(NOT_HERE) + ".", ""])


def _described(rows: Sequence[Row]) -> str:
    runs = [row for row in rows if row["quantiser"] == "none"]
    kinds = ", ".join(dict.fromkeys(f"{row['data']} ({row['trained']})" for row in runs))
    seeds = len({row["seed"] for row in runs})
    return f"{len(runs)} runs on {kinds}, {seeds} seed{'s' * (seeds > 1)}"
