"""The folder of detections: settings, a record of each recording that is done, and files for field programs.

A recording is done when its record is there, which is written last and whole. What is done is not done again, unless
the recording has changed since.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from hypertorus.annotations import FORMATS, Annotation, write_annotations
from hypertorus.files.atomic import replacing

SETTINGS, DONE, LOCK = "detect.json", "done", "detect.lock"
TOGETHER = "detections"
"""Name, before its ending, of the file of all recordings."""
OF_EACH, OF_ALL = ("raven", "audacity", "birdnet"), ("raven", "birdnet", "parquet")
"""Formats with a file for each recording, and with one for all."""
FORMAT = "hypertorus-detections"
OURS = (SETTINGS, DONE, LOCK, *OF_EACH, *(f"{TOGETHER}{FORMATS[kind]}" for kind in OF_ALL))


@dataclass(frozen=True)
class Heard:
    """What was heard in a recording."""

    path: str
    """Path relative to the folder of the recordings."""
    size: int
    written: int
    """Bytes of the file, and when it was last written to, in nanoseconds: what tells that it has changed."""
    seconds: float
    windows: int
    silent: int
    """Number of windows with nothing to hear, which are not judged."""
    nothing: int
    """Number of windows that are none of these, or less sure than the threshold."""
    note: str
    """A sentence on why it, or a part of it, was not judged; empty if all was."""
    complete: bool
    """Whether it could be read to its end; one that could not is tried again."""
    events: tuple[Annotation, ...]

    def as_json(self) -> bytes:
        facts = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "events"}
        return json.dumps({**facts, "events": [astuple(event) for event in self.events]}).encode()

    @classmethod
    def of_json(cls, text: bytes) -> Heard:
        facts = json.loads(text)
        events = tuple(Annotation(*event) for event in facts.pop("events"))
        return cls(**facts, events=events)


class Detections:
    """A folder of detections that is begun, or begun anew, or continued with the same settings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def begin(self, settings: dict[str, Any], *, restart: bool) -> None:
        """Write the settings or, where there are some, check that they are the same; nothing else is replaced."""
        foreign = sorted({entry.name for entry in self.folder.iterdir() if not _is_ours(entry.name)})
        before = self._settings()
        if foreign and before is None:
            raise ValueError(
                f"{self.folder} holds {foreign[0]}, which is not of detections; choose another folder for them."
            )
        if restart:
            self._clear()
        elif before is not None:
            for name, value in settings.items():
                if before.get(name) != value:
                    raise ValueError(
                        f"{self.folder} was begun with {name} {before.get(name)!r}, and now it is {value!r}; pass "
                        "--restart to begin anew, or choose another folder."
                    )
            return
        with replacing(self.folder / SETTINGS) as file:
            file.write(json.dumps({"format": FORMAT, **settings}, indent=2).encode() + b"\n")

    def done(self, path: str, status: os.stat_result) -> Heard | None:
        """Return the record of a recording that is done and has not changed since."""
        try:
            heard = Heard.of_json(self._record(path).read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None  # a damaged record is that of a recording which is not done
        same = (heard.path, heard.size, heard.written) == (path, status.st_size, status.st_mtime_ns)
        return heard if same and heard.complete else None

    def add(self, heard: Heard, formats: Sequence[str]) -> None:
        """Write the files of a recording, and then its record."""
        self.write_files(heard, formats, again=True)
        record = self._record(heard.path)
        record.parent.mkdir(parents=True, exist_ok=True)
        with replacing(record) as file:
            file.write(heard.as_json())

    def write_files(self, heard: Heard, formats: Sequence[str], *, again: bool = False) -> None:
        """Write the files of a recording that are not there yet, or all of them; of one that was not judged, none."""
        for kind in formats:
            if kind in OF_EACH and heard.windows > heard.silent:
                place = self.folder / kind / f"{heard.path}{FORMATS[kind]}"
                if again or not place.exists():
                    place.parent.mkdir(parents=True, exist_ok=True)
                    write_annotations(place, heard.events, kind)

    def write_together(self, every: Sequence[Heard], formats: Sequence[str]) -> list[Path]:
        """Write one file of all recordings for each of these formats that has one, and return their paths."""
        lengths = {heard.path: heard.seconds for heard in every}
        places = [self.folder / f"{TOGETHER}{FORMATS[kind]}" for kind in OF_ALL if kind in formats]
        for place in places:
            write_annotations(place, (event for heard in every for event in heard.events), lengths=lengths)
        return places

    def _record(self, path: str) -> Path:
        return self.folder / DONE / f"{path}.json"

    def _settings(self) -> dict[str, Any] | None:
        try:
            settings = json.loads((self.folder / SETTINGS).read_bytes())
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError):
            settings = None
        if not isinstance(settings, dict) or settings.get("format") != FORMAT:
            raise ValueError(f"{self.folder / SETTINGS} is not of detections, or is damaged; choose another folder.")
        return settings

    def _clear(self) -> None:
        """Remove what a run has written, the settings last; the lock stays, because this run holds it."""
        for name in (*OURS[3:], DONE, SETTINGS):
            place = self.folder / name
            if place.is_dir():
                shutil.rmtree(place)
            else:
                place.unlink(missing_ok=True)


def check_name(name: str, formats: Sequence[str]) -> None:
    """Raise an error if the path of a recording, or a label, cannot be written in these formats."""
    Annotation(name, 0.0, 0.0, name)
    if any(mark in name for mark in "\t\n\r") and {"raven", "audacity"} & set(formats):
        raise ValueError(
            f"{name!r} has a tab or a line break, which tables of Raven and Audacity cannot hold; rename it, or choose "
            "another format."
        )


def _is_ours(name: str) -> bool:
    return name in OURS or name.endswith((".partial", ".old"))
