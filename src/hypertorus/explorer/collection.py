"""A collection: what the page shows, an index together with the sounds, images or texts behind its codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hypertorus.search import Index, distances

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


class Collection(Protocol):
    """Items by the ids of their codes. The page knows ids alone: no path of a browser is ever opened."""

    kind: str
    """What the items are: `sounds`, `images` or `texts`."""
    title: str
    index: Index
    place: Path
    """File or folder of the index, beside which answers are kept."""

    def item(self, number: int) -> Item:
        """Return what is known of an id."""

    def groups(self, ids: Numbers) -> Numbers:
        """Return the number of each id's recording, or of its other source."""

    def named(self, part: str) -> Numbers:
        """Return the ids whose names contain a text, in any case."""

    def facts(self) -> dict[str, Any]:
        """Return what the page says about the collection, ready for JSON."""


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
