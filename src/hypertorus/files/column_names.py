"""The names that people give to the columns of a table."""

from __future__ import annotations

from collections.abc import Iterable

ROWS = "rows"
"""The name of an array that its file gives no name: an .npy file, or the number columns of a table."""

COLUMNS = {
    "labels": ("labels", "label", "y", "target", "targets"),
    "paths": ("path", "paths", "file", "files"),
    "names": ("names", "name", "texts", "text"),
    "parts": ("parts", "part", "split"),
    "groups": ("groups", "group", "recordings", "recording"),
    "starts": ("starts", "start"),
}
"""The names that people give to columns with one value for each row."""


def vector_columns(header: Iterable[str]) -> list[str]:
    """Return the columns of a table that are numbers of a vector; `y` is one of them beside `x`, else a label.

    >>> vector_columns(["x", "y", "label"]), vector_columns(["a", "b", "y"])
    (['x', 'y'], ['a', 'b'])
    """
    names = list(header)
    others = {name for spellings in COLUMNS.values() for name in spellings}
    if "x" in (name.lower() for name in names):
        others.remove("y")
    return [name for name in names if name.lower() not in others]
