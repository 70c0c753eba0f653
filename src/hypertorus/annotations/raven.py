"""Raven selection tables: tab-separated, a line for each selection, of one recording or of a sequence of recordings.

A table of a sequence has times from the start of its first recording on, as Raven shows the sequence, and says in
`Begin Path` and `File Offset (s)` where each selection begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from pathlib import Path, PurePosixPath

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

KIND = "Raven selection table"
BEGIN, END, LOW, HIGH = "Begin Time (s)", "End Time (s)", "Low Freq (Hz)", "High Freq (Hz)"
FILE, PATH, OFFSET = "Begin File", "Begin Path", "File Offset (s)"
HEAD = ("Selection", "View", "Channel", BEGIN, END, LOW, HIGH, FILE, PATH, OFFSET, "Annotation", "Score")
LABELS = ("Annotation", "Label", "Species", "Common Name", "Species Code", "Scientific Name", "Class", "Tags")
"""Columns in which labels are looked for, in this order."""


def write_raven(path: Path, annotations: Iterable[Annotation], lengths: Mapping[str, float] | None = None) -> None:
    """Write a table of one recording or, with the length of each in seconds, of a sequence of recordings.

    `lengths` has the recordings in their order, also those without annotations.
    """
    write_table(path, _rows(list(annotations), lengths), KIND, tabs=True)


def _rows(annotations: list[Annotation], lengths: Mapping[str, float] | None) -> Iterator[tuple[str, ...]]:
    paths = {annotation.path for annotation in annotations}
    if lengths is None and len(paths) > 1:
        raise ValueError(
            f"the annotations are of {len(paths)} recordings; a {KIND} of several needs the length of each, so pass "
            "lengths."
        )
    missing = paths - lengths.keys() if lengths is not None else ()
    if missing:
        raise ValueError(f"lengths has no {min(missing)}; pass the length of every recording with annotations.")
    before = dict(zip(lengths, accumulate(lengths.values(), initial=0.0), strict=False)) if lengths else {}
    yield HEAD
    for number, one in enumerate(annotations, start=1):
        shift = before.get(one.path, 0.0)
        times = (shift + one.start, shift + one.end)
        place = (PurePosixPath(one.path).name, one.path, text_of(one.start))
        band = (text_of(one.low), text_of(one.high))
        yield str(number), "Spectrogram 1", "1", *map(text_of, times), *band, *place, one.label, text_of(one.score)


def read_raven(path: Path, recording: str | None = None, label: str | None = None) -> list[Annotation]:
    """Return the annotations of a table; `label` names the column of labels.

    A table that names no recordings is one of `recording`. Of a selection that Raven lists once for each view, the
    first is read.
    """
    rows = named_rows(path, KIND, tabs=True, needs=(BEGIN, END))
    columns = rows[0].keys() if rows else ()
    labels = [name for name in ((label,) if label else LABELS) if name.lower() in columns]
    if rows and not labels:
        raise ValueError(
            f"{path} has no column of labels ({label or ', '.join(LABELS)}); name the one of "
            f"{', '.join(columns)[:200]} in which they are."
        )

    def make(row: Row) -> Annotation:
        begin, end = number_of(row[BEGIN.lower()], BEGIN), number_of(row[END.lower()], END)
        named = row.get(PATH.lower()) or row.get(FILE.lower()) or recording
        if not named:
            raise ValueError(f"it names no recording in {PATH!r} or {FILE!r}; say of which recording the table is.")
        start = optional_number(row, OFFSET)
        if start is None:
            start = begin
        band = optional_number(row, LOW), optional_number(row, HIGH)
        score = optional_number(row, "Score", "Confidence")
        return Annotation(named, start, start + end - begin, row[labels[0].lower()], score, *band)

    return annotated(path, _first_views(rows), make, first_line=1)


def _first_views(rows: list[Row]) -> list[Row]:
    """Leave out the rows that repeat a selection for another view."""
    views: dict[tuple[str, ...], str] = {}
    kept = []
    for row in rows:
        place = tuple(
            row.get(name, "") for name in ("selection", BEGIN.lower(), END.lower(), PATH.lower(), FILE.lower())
        )
        if row.get("view", "") == views.setdefault(place, row.get("view", "")):
            kept.append(row)
    return kept
