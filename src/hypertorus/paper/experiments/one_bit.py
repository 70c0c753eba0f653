"""The paper's 1 bit is one for each raw number, which on torusN is two for each angle."""

from __future__ import annotations

from collections.abc import Iterable

from hypertorus.paper.experiments.grid import TRAINED
from hypertorus.paper.experiments.table import Row


def one_bit_a_number(rows: Iterable[Row]) -> list[Row]:
    """Return the rows with those of torusN at 1 bit replaced by codes of 2 bits an angle under l1.

    The signs of the two numbers of a pair are the Gray code of its angle in 2 bits, and l1 is their Hamming distance.
    """
    kept = []
    for row in rows:
        pairs = TRAINED[row["space"]]["space"] == "torusN"
        if pairs and (row["quantiser"], row["metric"]) == ("2bit", "l1"):
            kept.append({**row, "quantiser": "1bit", "metric": "cosine"})
        if not pairs or row["quantiser"] != "1bit":
            kept.append(row)
    return kept
