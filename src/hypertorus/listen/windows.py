"""The table of windows of an index of sounds: the file, start and end of each code, and its CSV file."""

from __future__ import annotations

import csv
import io
import math
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath

from hypertorus.files.atomic import replacing
from hypertorus.listen.folder import AGAIN

HEAD = ("id", "path", "start", "end")


class SoundWindows:
    """A row for each code, by its id: path, start and end in seconds, stored as columns because there may be millions.

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
        """Add windows of a new or a known file."""
        file = self._numbers.setdefault(path, len(self.paths))
        if file == len(self.paths):
            self.paths.append(path)
        for start, end in places:
            self.files.append(file)
            self.starts.append(start)
            self.ends.append(end)

    def copy(self) -> SoundWindows:
        """Return a copy, to which rows can be added while others read this table."""
        twin = SoundWindows()
        twin.paths, twin._numbers = list(self.paths), dict(self._numbers)
        twin.files, twin.starts, twin.ends = self.files[:], self.starts[:], self.ends[:]
        return twin

    def take(self, numbers: Iterable[int]) -> SoundWindows:
        """Return a table of these rows alone, numbered anew."""
        twin = SoundWindows()
        for number in numbers:
            path, start, end = self[number]
            twin.add(path, [(start, end)])
        return twin

    def file_number(self, path: str) -> int | None:
        """Return the number of this path in `files`, or None if it has no windows."""
        return self._numbers.get(path)

    @property
    def seconds(self) -> float:
        """Total length of all windows in seconds."""
        return sum(self.ends) - sum(self.starts)

    def write(self, path: Path) -> None:
        with replacing(path) as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            rows = csv.writer(text, lineterminator="\r\n")  # with \r in it, names that have one are quoted
            rows.writerow(HEAD)
            for number in range(len(self)):
                name, start, end = self[number]
                rows.writerow((number, name, f"{start:.12g}", f"{end:.12g}"))
            text.detach()  # the file itself is closed by whoever opened it

    def moved_below(self, folder: str) -> SoundWindows:
        """Return the table for a folder of recordings further up, from which `folder` leads to the present one."""
        twin = self.copy()
        twin.paths = [f"{folder}/{path}" for path in self.paths]
        twin._numbers = dict(zip(twin.paths, range(len(twin.paths)), strict=True))  # noqa: SLF001
        return twin

    @classmethod
    def read(cls, path: Path, count: int) -> SoundWindows:
        """Read a file of `write` with so many windows; every path must stay within the folder of the recordings."""
        try:
            with path.open(encoding="utf-8", newline="") as file:
                return cls._of(csv.reader(file), count)
        except (ValueError, csv.Error, StopIteration) as error:
            raise ValueError(f"{path} is not a table of windows ({error}); {AGAIN}") from error

    @classmethod
    def _of(cls, rows: Iterator[list[str]], count: int) -> SoundWindows:
        windows = cls()
        next(rows)
        for number, (written, name, start, end) in enumerate(rows):
            begin, stop = float(start), float(end)
            if int(written) != number or not 0 <= begin <= stop < math.inf:
                raise ValueError(f"window {number} is written as {written}, {start}, {end}")
            if windows.file_number(name) is None:  # of many windows of a recording, the first is enough
                _check_within(name)
            windows.add(name, [(begin, stop)])
        if len(windows) != count:
            raise ValueError(f"it has {len(windows)} windows, and there are {count} codes")
        return windows


def _check_within(name: str) -> None:
    """Raise an error if a path may lead out of the folder of the recordings, on any system."""
    windows_path = PureWindowsPath(name)
    if PurePosixPath(name).is_absolute() or windows_path.anchor or ".." in windows_path.parts or "\0" in name:
        raise ValueError(f"{name!r} is not a path within the folder of the recordings")


def clock(seconds: float) -> str:
    """Return a time within a recording as text, to tenths of a second.

    >>> clock(3.0), clock(59.96), clock(3723.5)
    ('0:03.0', '1:00.0', '1:02:03.5')
    """
    whole, tenths = divmod(round(10 * seconds), 10)
    minutes, left = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}.{tenths}" if hours else f"{minutes}:{left:02}.{tenths}"
