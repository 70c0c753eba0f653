"""The table of words on a chip: each measure as a mean over runs, beside what it must be and what would be better."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def _exact(run: dict[str, Any], share: int) -> float:
    """Return the true accepts by a threshold at which the false accepts of the new speakers are those wanted."""
    return float(run["keyword"][share]["true_accepts_at_exact_share"])


Row = tuple[str, str, Callable[[dict[str, Any]], float | None], float | None, float | None]
"""What it is, the kind of its runs, its value (None where it was not measured), what it must be and what is better."""

RUNS: tuple[Row, ...] = (
    ("ten words, unseen speakers", "known", lambda run: run["precision"], 0.85, 0.90),
    ("ten words, unseen speakers, in a stream", "known", lambda run: run.get("precision_stream"), None, None),
    ("three new words, five examples of the speaker", "learning", lambda run: run["three"], 0.93, 0.97),
    ("ten words enrolled by the speaker, five each", "learning", lambda run: run["ten"], 0.85, 0.90),
    (
        "keyword, threshold fixed for 5 %: true accepts",
        "learning",
        lambda run: run["keyword"][0].get("true_accepts"),
        0.75,
        0.87,
    ),
    (
        "keyword, threshold fixed for 5 %: false accepts",
        "learning",
        lambda run: run["keyword"][0].get("false_accepts"),
        None,
        None,
    ),
    (
        "keyword, threshold fixed for 1 %: true accepts",
        "learning",
        lambda run: run["keyword"][1].get("true_accepts"),
        0.55,
        0.73,
    ),
    (
        "keyword, threshold fixed for 1 %: false accepts",
        "learning",
        lambda run: run["keyword"][1].get("false_accepts"),
        None,
        None,
    ),
    ("keyword, true accepts at exactly 5 %", "learning", lambda run: _exact(run, 0), 0.75, 0.87),
    ("keyword, true accepts at exactly 1 %", "learning", lambda run: _exact(run, 1), 0.55, 0.73),
    (
        "one bird call among others, balanced accuracy",
        "bird-call",
        lambda run: run["balanced_accuracy"],
        0.80,
        0.90,
    ),
    ("ATmega328P: ten words, unseen speakers", "eight-bit", lambda run: run["precision"], 0.70, 0.76),
)
BOARDS = (
    ("Cortex-M4: flash, bytes", "cortex-m4", "flash", 48_000, 32_000),
    ("Cortex-M4: RAM, bytes", "cortex-m4", "RAM", 12_000, 8_000),
    ("Cortex-M4: instructions a second, one window", "cortex-m4", "one window a second", 8_000_000, 5_000_000),
    ("Cortex-M4: instructions a second, four windows", "cortex-m4", "four", 22_000_000, 12_000_000),
    ("ATmega328P: cycles a second, one window", "atmega328p", "one window a second", 16_000_000, None),
    ("ATmega328P: flash, bytes", "atmega328p", "flash", 32_768, None),
    ("ATmega328P: RAM, bytes", "atmega328p", "RAM", 2_048, None),
)


def table(runs: list[dict[str, Any]], boards: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each measure of runs and of the boards of a listener that are there."""
    rows: list[dict[str, Any]] = []
    for row in RUNS:
        what, _, _, must, stretch = row
        if values := values_of(row, runs):
            mean = round(float(np.mean(values)), 3)
            rows.append({"what": what, "value": mean, "must": must, "stretch": stretch, "runs": len(values)})
    for what, name, field, must, stretch in BOARDS:
        rows += [
            {"what": f"{what}, {_network(board)}", "value": board[field], "must": must, "stretch": stretch}
            for board in boards
            if board["board"] == name
        ]
    return rows


def values_of(row: Row, runs: list[dict[str, Any]]) -> list[float]:
    """Return the values of a row of `RUNS` in all runs that have it."""
    _, kind, value, _, _ = row
    return [found for run in runs if run["kind"] == kind and (found := value(run)) is not None]


def _network(board: dict[str, Any]) -> str:
    return f"{board['encoder']} in a stream" if board.get("form") == "stream" else str(board["encoder"])
