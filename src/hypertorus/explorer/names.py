"""Tables of names: what is taken away of images and texts, and brought in, as .csv with name, label and score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from hypertorus.annotations.table import named_rows, text_of, write_table
from hypertorus.explorer.collection import Collection

KIND = "table of names"
HEAD = ("name", "label", "score")


def write_names(path: Path, label: str, scores: Iterable[tuple[str, float | None]]) -> None:
    """Write a row for each name."""
    rows = ((name, label, text_of(score)) for name, score in scores)
    write_table(path, (HEAD, *rows), KIND, tabs=False)


def read_names(path: Path) -> list[tuple[str, str]]:
    """Return the name and the label of each row; other columns are passed over."""
    if path.suffix.lower() != ".csv":
        raise ValueError(f"{path} is not a .csv; images and texts are brought in by a {KIND} with name and label.")
    return [(row["name"], row["label"]) for row in named_rows(path, KIND, tabs=False, needs=HEAD[:2])]


def rows_of_names(collection: Collection) -> dict[str, list[int]]:
    """Return the rows of each name, as the page shows it."""
    rows = defaultdict(list)
    for row, number in enumerate(collection.items.ids.tolist()):
        rows[collection.name(number, row)].append(row)
    return rows
