"""Tables of text in which field programs keep annotations: their cells, and errors that name file and line."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from hypertorus.annotations.record import Annotation
from hypertorus.files.atomic import replacing
from hypertorus.files.csv_file import csv_rows

LARGEST = 2**28
"""Bytes of the largest table that is read: several million rows."""

Row = dict[str, str]


def read_table(path: Path, kind: str, *, tabs: bool, even: bool = True) -> list[list[str]]:
    """Return the cells of all rows; a file that is no table is one sentence."""
    size = path.stat().st_size
    if size > LARGEST:
        raise ValueError(f"{path} has {size:,} bytes; a {kind} of at most {LARGEST:,} is read, so split it.")
    try:
        return csv_rows(path, tabs=tabs, even=even)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a {kind}, or not in UTF-8 ({error.reason}); save it as UTF-8.") from error
    except ValueError as error:
        raise ValueError(f"{path} is not a {kind} ({error}); fix it, or write it again.") from error


def named_rows(path: Path, kind: str, *, tabs: bool, needs: Sequence[str]) -> list[Row]:
    """Return the rows as cells by the names of their columns, in lower case; `needs` must be among them."""
    header, *rows = read_table(path, kind, tabs=tabs)
    names = [name.strip().lower() for name in header]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"{path} is not a {kind}: it has {twice[0]!r} twice; name its columns differently.")
    for name in needs:
        if name.lower() not in names:
            raise ValueError(
                f"{path} has no column {name!r}, which a {kind} has; it has {', '.join(header)[:200] or 'none'}."
            )
    return [dict(zip(names, row, strict=True)) for row in rows]


def annotated(path: Path, rows: Iterable[Row], make: Callable[[Row], Annotation], first_line: int) -> list[Annotation]:
    """Return the annotation of each row; an error names the file and the row."""
    annotations = []
    for number, row in enumerate(rows, start=first_line):
        try:
            annotations.append(make(row))
        except ValueError as error:
            raise ValueError(f"row {number} of {path}: {error}") from error
    return annotations


def number_of(cell: str, name: str) -> float:
    """Return the number in a cell; anything else, NaN among it, is an error that names the column.

    >>> number_of(" 3.50", "Begin Time (s)")
    3.5
    """
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{name} is {cell[:40]!r}, which is not a number; write one, such as 3.5.")
    return number


def optional_number(row: Row, *names: str) -> float | None:
    """Return the number in the first of these columns that the row has, or None if its cell is empty."""
    for name in names:
        if name.lower() in row:
            cell = row[name.lower()].strip()
            return number_of(cell, name) if cell else None
    return None


def text_of(number: float | None) -> str:
    """Return a number as text, to a millionth and without an exponent; nothing for None.

    >>> text_of(3.0), text_of(1e-6), text_of(None)
    ('3.0', '0.000001', '')
    """
    return "" if number is None else np.format_float_positional(round(number, 6), trim="0")


def write_table(path: Path, rows: Iterable[Sequence[str]], kind: str, *, tabs: bool) -> None:
    """Write rows atomically. In tables with tabs nothing can be quoted, so tabs and line breaks are refused."""
    with replacing(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        if not tabs:  # with \r in the ends of lines, names that have one are quoted
            csv.writer(text, lineterminator="\r\n").writerows(rows)
        for row in rows if tabs else ():
            for cell in row:
                if any(mark in cell for mark in "\t\n\r"):
                    raise ValueError(
                        f"{cell!r} has a tab or a line break, which a {kind} cannot hold; rename it, or write another "
                        "format."
                    )
            text.write("\t".join(row) + "\n")
        text.detach()  # the file itself is closed by whoever opened it
