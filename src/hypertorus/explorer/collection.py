"""A collection: what the page shows, an index together with the sounds, images or texts behind its codes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.models.model import Model
from hypertorus.search import Index, distances
from hypertorus.workbench import Items

Codes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]


class Item(NamedTuple):
    """What is known of one code."""

    name: str
    """Path of the recording or image, or the text itself."""
    start: float | None = None
    end: float | None = None
    """Start and end of the window within its recording, in seconds."""
    label: str | None = None


class Collection:
    """Items by the ids of their codes. The page knows ids alone: no path of a browser is ever opened.

    This one is of texts, or of other things that are known by a name alone; recordings and images know more.
    """

    kind = "texts"
    """What the items are: `sounds`, `images` or `texts`."""
    network: Model | None = None
    """The model that made the codes, if it is known."""
    drop: tuple[str, ...] = ()
    """Suffixes of files that may be dropped on the page, to be searched for."""

    def __init__(self, index: Index, items: Items, place: Path, title: str) -> None:
        self.index, self.items, self.title = index, items, title
        self.place = place
        """File or folder of the index, beside which answers are kept."""
        self._order = np.argsort(items.ids, kind="stable")

    def rows(self, ids: Sequence[int] | Numbers) -> Numbers:
        """Return the row of each id in `items`; all of them must be in the index."""
        places = np.searchsorted(self.items.ids, np.asarray(ids, np.int64), sorter=self._order)
        return np.asarray(self._order[places], np.int64)

    def item(self, number: int) -> Item:
        """Return what is known of an id."""
        items, row = self.items, int(self.rows([number])[0])
        label = str(self.index.labels_of([number])[0]) if self.index.has_labels else None
        name = self.name(number, row)
        if items.starts is None or items.ends is None:
            return Item(name, label=label)
        return Item(name, float(items.starts[row]), float(items.ends[row]), label)

    def name(self, number: int, row: int) -> str:
        """Return the name of an id, which has this row in `items`."""
        items = self.items
        return f"row {number}" if items.files is None else str(items.names[items.files[row]])

    def named(self, part: str) -> Numbers:
        """Return the ids whose names contain a text, in any case."""
        wanted, items = part.casefold(), self.items
        if items.files is None:
            return items.ids[[wanted in f"row {number}" for number in items.ids]]
        names = np.array([wanted in str(name).casefold() for name in items.names], bool)
        return items.ids[names[items.files]]

    def facts(self) -> dict[str, Any]:
        """Return what the page says about the collection, ready for JSON."""
        recordings = len(np.unique(self.items.recordings))
        return {"recordings": recordings, "grouped": recordings < len(self.items)}


class Scale:
    """Turns the whole numbers of a metric into shares of the largest distance.

    >>> scale = Scale(Index(dim=4, metric="l1"))
    >>> scale.share(256), scale.chance
    (0.5, 0.5)
    """

    def __init__(self, index: Index) -> None:
        values = np.arange(2**index.bits)[:, None]
        one = distances(values, values[:1], index.metric, index.bits)
        self.farthest = index.dim * int(one.max())
        self.chance = float(one.mean() / one.max())

    def share(self, distance: int) -> float:
        return int(distance) / self.farthest
