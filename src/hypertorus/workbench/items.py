"""The items that a person is asked about: one for each code of an index, under a key that outlives the index."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from hypertorus.datasets.kinds import SOUND_FILES
from hypertorus.embeddings import Embeddings
from hypertorus.embeddings.recordings import recordings
from hypertorus.search import Index
from hypertorus.workbench.moments import moment_of

if TYPE_CHECKING:
    from hypertorus.listen import SoundIndex

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Items:
    """A row for each code of an index, in the order of `index.ids`.

    The key of a window is its path, start and end; that of anything else is its name, or its id if it has none. So
    answers, which are stored by key, still belong to the same items when the index is built again.

    >>> index = Index(dim=1)
    >>> _ = index.add(np.array([[3], [7]]), names=["owl.jpg", "jay.jpg"])
    >>> items = Items.of(index)
    >>> items.key(1), items.row("owl.jpg"), items.row("wren.jpg"), len(items)
    ('jay.jpg', 0, None, 2)
    """

    ids: Rows
    """Id of each row."""
    model: str | None
    """Fingerprint of the model that made the codes."""
    kind: str
    """What keys are made of: `windows`, `names` or `ids`."""
    names: Sequence[str] = ()
    """Different names or paths."""
    files: Rows | None = None
    """Number of each row's name in `names`."""
    starts: npt.NDArray[np.float64] | None = None
    """Start of each window in seconds."""
    ends: npt.NDArray[np.float64] | None = None
    """End of each window in seconds."""
    groups: Rows | None = None
    """Number of each row's recording, where it is known otherwise than by its name."""
    folder: Path | None = None
    """Folder from which the paths of windows are."""

    @classmethod
    def of(cls, index: Index | SoundIndex) -> Self:
        """Return the items of an index, or of an index of sounds."""
        if isinstance(index, Index):
            if not index.has_names:
                return cls(index.ids, index.model, "ids")
            return cls(index.ids, index.model, "names", *_numbered(index.names_of(index.ids).tolist()))
        ids, windows = index.index.ids, index.windows
        starts, ends = (np.asarray(column, np.float64)[ids] for column in (windows.starts, windows.ends))
        files = np.asarray(windows.files, np.int64)[ids]
        model, folder = index.index.model or index.model.fingerprint, Path(os.path.abspath(index.folder))  # noqa: PTH100
        return cls(ids, model, "windows", windows.paths, files, starts, ends, folder=folder)

    @classmethod
    def of_embeddings(cls, record: Embeddings) -> Self:
        """Return the items of embeddings whose codes are added to an index in their order."""
        ids = np.arange(len(record))
        if record.names is None:
            return cls(ids, record.model, "ids", groups=record.groups)
        return cls(ids, record.model, "names", *_numbered(record.names.tolist()), groups=record.groups)

    def __len__(self) -> int:
        return len(self.ids)

    def key(self, row: int) -> str:
        """Return the key of a row, such as `marsh/1.wav#3-6`."""
        if self.files is None:
            return f"#{self.ids[row]}"
        name = self.names[self.files[row]]
        if self.starts is not None and self.ends is not None:
            return window_key(name, float(self.starts[row]), float(self.ends[row]))
        place = int(np.searchsorted(self._namesakes(int(self.files[row])), row)) + 1
        return name if place == 1 else f"{name}#{place}"

    def row(self, key: str) -> int | None:
        """Return the row of a key, or None if this index has no such item."""
        if self.files is None:
            return self._row_of_id(key)
        if self.starts is None:
            return self._row_of_name(key)
        name, start, _ = split_window_key(key)
        number = self._numbers.get(name)
        if number is None:
            return None
        among = self._namesakes(number)
        near = among[np.abs(self.starts[among] - start) < _SAME]
        return next((int(row) for row in near if self.key(int(row)) == key), None)

    def rows(self, keys: Iterable[str]) -> Rows:
        """Return the row of each key, -1 where this index has no such item."""
        found = (self.row(key) for key in keys)
        return np.array([-1 if row is None else row for row in found], np.int64)

    @cached_property
    def recordings(self) -> Rows:
        """Number of each row's recording; sounds are grouped by their names as for training.

        A `_` in a name may mean something else: the names of images and texts are left whole, and so are those of
        sounds if they have a time, or would all be one recording.
        """
        if self.groups is not None:
            return self.groups
        if self.files is None:
            return np.arange(len(self))
        clips = all(_is_clip(name) for name in self.names)
        numbers = recordings(self.names) if clips else None
        return self.files if numbers is None or (numbers == numbers[0]).all() else numbers[self.files]

    @cached_property
    def ranks(self) -> npt.NDArray[np.uint64]:
        """A random number for each row, which depends on its key alone: the lowest of any set are a random sample."""
        if self.files is None:
            return _mixed(self.ids.astype(np.uint64))
        of_names = np.array([zlib.crc32(name.encode(errors="surrogatepass")) for name in self.names], np.uint64)
        within = np.zeros(len(self)) if self.starts is None else self.starts
        if self.starts is None:
            within[self._order] = np.arange(len(self)) - np.repeat(
                self._begins, np.diff(self._begins, append=len(self))
            )
        return _mixed(of_names[self.files] ^ _mixed((within + 1.0).view(np.uint64)))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def _order(self) -> Rows:
        """Rows by name, and those of one name in their order."""
        return np.argsort(np.asarray(self.files), kind="stable")

    @cached_property
    def _begins(self) -> Rows:
        """Where the rows of each name begin in `_order`."""
        return np.searchsorted(np.asarray(self.files)[self._order], np.arange(len(self.names)))

    def _namesakes(self, number: int) -> Rows:
        end = self._begins[number + 1] if number + 1 < len(self._begins) else len(self)
        return self._order[self._begins[number] : end]

    def _row_of_name(self, key: str) -> int | None:
        if key in self._numbers:
            return int(self._namesakes(self._numbers[key])[0])
        name, _, place = key.rpartition("#")
        if name not in self._numbers or not place.isdecimal():
            return None
        among = self._namesakes(self._numbers[name])
        return int(among[int(place) - 1]) if 2 <= int(place) <= len(among) else None

    def _row_of_id(self, key: str) -> int | None:
        number = int(key[1:]) if key.startswith("#") and key[1:].isdecimal() else -1
        place = int(np.searchsorted(self._sorted_ids[0], number))
        there = place < len(self) and self._sorted_ids[0][place] == number
        return int(self._sorted_ids[1][place]) if there else None

    @cached_property
    def _sorted_ids(self) -> tuple[Rows, Rows]:
        order = np.argsort(self.ids, kind="stable")
        return self.ids[order], order


_SAME = 1e-3


def _is_clip(name: str) -> bool:
    """Return whether a name may be that of a clip of a recording, such as `7_1.ogg`."""
    return name.lower().endswith(SOUND_FILES) and moment_of(name) is None


def window_key(path: str, start: float, end: float) -> str:
    """Return the key of a window of a recording.

    >>> window_key("marsh/1.wav", 3.0, 5.25)
    'marsh/1.wav#3-5.25'
    """
    return f"{path}#{start:.12g}-{end:.12g}"


def split_window_key(key: str) -> tuple[str, float, float]:
    """Return path, start and end of a window by its key; the path is empty if it is none.

    >>> split_window_key("marsh/1.wav#3-5.25")
    ('marsh/1.wav', 3.0, 5.25)
    """
    path, _, times = key.rpartition("#")
    start, _, end = times.partition("-")
    try:
        return path, float(start), float(end)
    except ValueError:
        return "", 0.0, 0.0


def _numbered(names: Iterable[str]) -> tuple[list[str], Rows]:
    """Return the different names, and the number of each name among them."""
    numbers: dict[str, int] = {}
    files = np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int64)
    return list(numbers), files


def _mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return numbers that look random and depend on the given ones alone (splitmix64)."""
    with np.errstate(over="ignore"):
        mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        return mixed ^ (mixed >> np.uint64(31))
