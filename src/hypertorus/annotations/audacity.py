"""Audacity's labels: a line for each, with start, end and label between tabs, of one recording that is not named.

A second line, which begins with a backslash, has the band of a label. Audacity passes over a fourth column; in it
BirdNET's programs and these keep the score.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from hypertorus.annotations.record import Annotation
from hypertorus.annotations.table import Row, annotated, number_of, optional_number, read_table, text_of, write_table

KIND = "file of Audacity labels"
BAND = "\\"


def write_audacity(path: Path, annotations: Iterable[Annotation]) -> None:
    """Write the labels of one recording; its path is not in the file."""
    found = list(annotations)
    paths = {annotation.path for annotation in found}
    if len(paths) > 1:
        raise ValueError(f"the annotations are of {len(paths)} recordings; write a {KIND} for each.")
    write_table(path, _rows(found), KIND, tabs=True)


def _rows(annotations: list[Annotation]) -> Iterator[tuple[str, ...]]:
    for one in annotations:
        score = () if one.score is None else (text_of(one.score),)
        yield text_of(one.start), text_of(one.end), one.label, *score
        if one.low is not None:
            yield BAND, text_of(one.low), text_of(one.high)


def read_audacity(path: Path, recording: str | None = None) -> list[Annotation]:
    """Return the labels, which are those of `recording`."""
    if recording is None:
        raise ValueError(f"{path} is a {KIND}, which names no recording; say of which recording it is.")
    rows: list[Row] = []
    for cells in read_table(path, KIND, tabs=True, even=False):
        if cells[:1] == [BAND]:
            if not rows or len(cells) != 3:
                raise ValueError(f"{path} has a band that follows no label, or has not two frequencies; fix it.")
            rows[-1].update(zip(("low", "high"), cells[1:], strict=True))
        elif len(cells) in (2, 3, 4):
            rows.append(dict(zip(("start", "end", "label", "score"), cells, strict=False)))
        elif cells:
            raise ValueError(
                f"{path} is not a {KIND}: label {len(rows) + 1} has {len(cells)} columns, not start, end and label."
            )

    def make(row: Row) -> Annotation:
        start, end = number_of(row["start"], "its start"), number_of(row["end"], "its end")
        band = optional_number(row, "low"), optional_number(row, "high")
        return Annotation(recording, start, end, row.get("label", ""), optional_number(row, "score"), *band)

    return annotated(path, rows, make, first_line=1)
