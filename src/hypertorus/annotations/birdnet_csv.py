"""The CSV of BirdNET's programs: start, end, scientific and common name, confidence and file; it has no bands.

A label `Turdus merula_Common Blackbird`, as BirdNET writes its labels, becomes both names; any other is both of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from hypertorus.annotations.record import Annotation
from hypertorus.annotations.table import (
    Row,
    annotated,
    named_rows,
    number_of,
    optional_number,
    text_of,
    write_table,
)

KIND = "BirdNET table"
HEAD = ("Start (s)", "End (s)", "Scientific name", "Common name", "Confidence", "File")


def write_birdnet(path: Path, annotations: Iterable[Annotation]) -> None:
    """Write the annotations of any number of recordings."""
    write_table(path, _rows(annotations), KIND, tabs=False)


def _rows(annotations: Iterable[Annotation]) -> Iterator[tuple[str, ...]]:
    yield HEAD
    for one in annotations:
        yield text_of(one.start), text_of(one.end), *names_of(one.label), text_of(one.score), one.path


def read_birdnet(path: Path, recording: str | None = None) -> list[Annotation]:
    """Return the annotations; a table without the column File, as older programs write it, is one of `recording`."""

    def make(row: Row) -> Annotation:
        start, end, scientific, common, _, _ = (row.get(name.lower(), "") for name in HEAD)
        named = row.get("file") or recording
        if not named:
            raise ValueError("it names no recording in 'File'; say of which recording the table is.")
        label, score = label_of(scientific, common), optional_number(row, "Confidence")
        return Annotation(named, number_of(start, HEAD[0]), number_of(end, HEAD[1]), label, score)

    return annotated(path, named_rows(path, KIND, tabs=False, needs=HEAD[:5]), make, first_line=1)


def names_of(label: str) -> tuple[str, str]:
    """Return the scientific and the common name in a label.

    >>> names_of("Turdus merula_Common Blackbird"), names_of("trill")
    (('Turdus merula', 'Common Blackbird'), ('trill', 'trill'))
    """
    scientific, _, common = label.partition("_")
    return (scientific, common) if scientific and common and scientific != common else (label, label)


def label_of(scientific: str, common: str) -> str:
    """Return the label of two names: the inverse of `names_of`."""
    return f"{scientific}_{common}" if scientific and common and scientific != common else scientific or common
