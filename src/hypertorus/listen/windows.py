"""Which window of which file each code of an index of sounds is of: a table, and its CSV file."""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Iterable
from pathlib import Path

from hypertorus.files.atomic import replacing

HEAD = ("id", "path", "start", "end")


class SoundWindows:
    """A row for each code, by its id: a path, and from which second to which. Columns, for there may be millions.

    >>> windows = SoundWindows()
    >>> windows.add("owl/1.wav", [(0.0, 3.0), (3.0, 5.5)])
    >>> windows[1], len(windows)
    (('owl/1.wav', 3.0, 5.5), 2)
    """

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.files, self.starts, self.ends = array("q"), array("d"), array("d")
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, number: int) -> tuple[str, float, float]:
        return self.paths[self.files[number]], self.starts[number], self.ends[number]

    def add(self, path: str, places: Iterable[tuple[float, float]]) -> None:
        """More windows, of a file that may have some already."""
        file = self._numbers.setdefault(path, len(self.paths))
        if file == len(self.paths):
            self.paths.append(path)
        for start, end in places:
            self.files.append(file)
            self.starts.append(start)
            self.ends.append(end)

    def copy(self) -> SoundWindows:
        """The same table, to which rows can be added while others read this one."""
        twin = SoundWindows()
        twin.paths, twin._numbers = list(self.paths), dict(self._numbers)
        twin.files, twin.starts, twin.ends = self.files[:], self.starts[:], self.ends[:]
        return twin

    def file_number(self, path: str) -> int | None:
        """What `files` has for this path, if there is such a file."""
        return self._numbers.get(path)

    @property
    def seconds(self) -> float:
        """Of sound in all of them."""
        return sum(self.ends) - sum(self.starts)

    def write(self, path: Path) -> None:
        with replacing(path) as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            rows = csv.writer(text, lineterminator="\n")
            rows.writerow(HEAD)
            for number in range(len(self)):
                name, start, end = self[number]
                rows.writerow((number, name, f"{start:.12g}", f"{end:.12g}"))
            text.detach()  # the file itself is closed by whoever opened it

    @classmethod
    def read(cls, path: Path) -> SoundWindows:
        """What `write` wrote; that nobody has changed it is for the caller to see to."""
        windows = cls()
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file)
            next(rows)
            for _, name, start, end in rows:
                windows.add(name, [(float(start), float(end))])
        return windows


def clock(seconds: float) -> str:
    """A time within a recording, to tenths of a second.

    >>> clock(3.0), clock(59.96), clock(3723.5)
    ('0:03.0', '1:00.0', '1:02:03.5')
    """
    whole, tenths = divmod(round(10 * seconds), 10)
    minutes, left = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}.{tenths}" if hours else f"{minutes}:{left:02}.{tenths}"
