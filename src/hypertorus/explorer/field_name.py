"""Reads place and time from the names that recorders give their files, such as SITE_YYYYMMDD_HHMMSS.wav."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import NamedTuple

_NAME = re.compile(r"^(?:(?P<site>.*?)[_-])?(?P<day>(?:19|20)\d{6})[_T-]?(?P<time>\d{6})(?!\d)")


class FieldName(NamedTuple):
    """Where and when a recording began; each is None if its name does not say so."""

    site: str | None
    begin: datetime | None

    def at(self, seconds: float) -> datetime | None:
        """Return the time of a moment of the recording, given in seconds from its start."""
        return None if self.begin is None else self.begin + timedelta(seconds=seconds)


def field_name(path: str) -> FieldName:
    """Return the site and the start of a recording by its path.

    A name that begins with the date has the folder of the file as its site.

    >>> field_name("card/NORTH-3_20240510_043000.wav")
    FieldName(site='NORTH-3', begin=datetime.datetime(2024, 5, 10, 4, 30))
    >>> field_name("pond/20240510T043000.wav").site, field_name("species-01/001.wav")
    ('pond', FieldName(site=None, begin=None))
    """
    place = PurePosixPath(path)
    match = _NAME.match(place.stem)
    if match is None:
        return FieldName(None, None)
    try:
        begin = datetime.strptime(match["day"] + match["time"], "%Y%m%d%H%M%S")  # noqa: DTZ007, the recorder's own clock
    except ValueError:  # a number that looks like a date, such as 20241399_000000
        return FieldName(None, None)
    return FieldName(match["site"] or place.parent.name or None, begin)
