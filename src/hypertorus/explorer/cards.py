"""What the page shows of an id: name, place and time, ready for JSON."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from hypertorus.explorer.collection import Collection
from hypertorus.workbench import moment_of


def card(collection: Collection, number: int) -> dict[str, Any]:
    """Return what is known of an id; times are those of the recorder's clock."""
    item = collection.item(number)
    facts: dict[str, Any] = {"id": int(number), "name": item.name}
    if item.label is not None:
        facts["label"] = item.label
    if item.start is not None and item.end is not None:
        facts |= {"start": item.start, "end": item.end}
    moment = moment_of(item.name)
    if moment is not None:
        when = moment.begin + timedelta(seconds=item.start or 0.0)
        facts |= {"site": moment.site, "when": when.isoformat(sep=" ", timespec="seconds")}
    return facts


def cards(collection: Collection, ids: Iterable[int]) -> list[dict[str, Any]]:
    return [card(collection, number) for number in ids]
