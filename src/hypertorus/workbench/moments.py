"""Place and time of a recording, where the name of its file says so: `SITE_YYYYMMDD_HHMMSS.wav`."""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple

_NAME = re.compile(r"(?:(?P<site>.+?)[_-])?(?P<day>\d{8})[_T-](?P<time>\d{6})(?!\d)")


class Moment(NamedTuple):
    """Where and when a recording began."""

    site: str
    begin: datetime
    """Local time of the recorder, as it was set."""


def moment_of(path: str) -> Moment | None:
    """Return place and time by the name of a file, or None if it does not say; without a site, that is the folder.

    >>> moment_of("may/MARSH_20240501_053000.wav")
    Moment(site='MARSH', begin=datetime.datetime(2024, 5, 1, 5, 30))
    >>> moment_of("marsh/20240501_053000.WAV").site, moment_of("owl/7_1.ogg"), moment_of("A_20241399_000000.wav")
    ('marsh', None, None)
    """
    folder, _, name = path.replace("\\", "/").rpartition("/")
    found = _NAME.match(name)
    if found is None:
        return None
    try:
        begin = datetime.strptime(found["day"] + found["time"], "%Y%m%d%H%M%S")  # noqa: DTZ007
    except ValueError:
        return None
    return Moment(found["site"] or folder.rpartition("/")[2], begin)
