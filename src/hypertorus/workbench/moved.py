"""Answers on windows whose paths became longer: an index that grows beyond its folder counts paths from further up.

The file of answers knows the folder from which its paths are. If that of the index is above it, answers are written
once more under the longer paths, with who, when and how they were given; the old lines stay, as all do.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hypertorus.workbench.items import Items, split_window_key

if TYPE_CHECKING:
    from hypertorus.workbench.answers import Answer

FOLDER, MOVED = "recordings", "moved"
"""Names of the facts: the folder of the recordings, and what older paths are to be preceded by."""


def prefixes(facts: Mapping[str, str], folder: Path) -> list[str]:
    """Return what leads from `folder` to each folder from which paths of answers were ever counted.

    >>> prefixes({"recordings": "/card/site/may", "moved": '["week-1"]'}, Path("/card"))
    ['site/may/week-1', 'site/may']
    """
    known, before = list(json.loads(facts.get(MOVED, "[]"))), Path(facts.get(FOLDER) or folder)
    if before == folder or not before.is_relative_to(folder):
        return known
    added = before.relative_to(folder).as_posix()
    return [*(f"{added}/{each}" for each in known), added]


def facts_of(folder: Path, moved: Sequence[str]) -> dict[str, str]:
    return {FOLDER: str(folder), MOVED: json.dumps(list(moved))}


def to_repeat(lines: Iterable[Answer], items: Items, moved: Sequence[str]) -> list[tuple[Answer, str]]:
    """Return the answers that stand on windows which this index has under a longer path, and their keys in it.

    What was said about such a window since, under its longer path, counts more.
    """
    given = list(lines)
    undone = {line.undoes for line in given}
    latest = {(line.item, line.question): line.number for line in given}
    found = []
    for line in given:
        if line.undoes is not None or line.number in undone or items.row(line.item) is not None:
            continue
        key = next((f"{each}/{line.item}" for each in moved if items.row(f"{each}/{line.item}") is not None), None)
        if key is not None and latest.get((key, line.question), 0) < line.number:
            found.append((line, key))
    return found


def are_forgotten(keys: Iterable[str], facts: Mapping[str, str], items: Items) -> bool:
    """Return whether an index of the same folder has none of the recordings of these windows any more."""
    names = set(items.names)
    return facts.get(FOLDER) == str(items.folder) and not any(split_window_key(key)[0] in names for key in keys)
