"""From a question of the page to the codes of a query, and a sentence that says what is searched for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hypertorus.codes import circular_mean
from hypertorus.explorer.asked import Asked
from hypertorus.explorer.collection import Codes, Collection
from hypertorus.explorer.images import Images
from hypertorus.explorer.sounds import Sounds
from hypertorus.explorer.uploads import Uploads
from hypertorus.integrations.texts import Texts
from hypertorus.listen.windows import clock

SHORTEST = 0.02
"""Seconds of a stretch that is searched for, at least."""


class Query(NamedTuple):
    """Codes [m, dim] to search for."""

    codes: Codes
    sentence: str
    """What is searched for, and how."""
    leave_out: tuple[int, ...] = ()
    """Ids that are the query itself."""
    starts: tuple[float, ...] = ()
    """Start of each code in a dropped sound, in seconds."""


def query_of(asked: Asked, collection: Collection, uploads: Uploads, sentences: Texts | None) -> Query:
    """Return what to search for: results, a stretch of a recording, a dropped file, or a text."""
    if "stretch" in asked:
        return _of_stretch(asked.part("stretch"), _sounds(collection), uploads)
    if "upload" in asked:
        return _of_upload(asked.whole("upload", 0, 2**31), collection, uploads)
    if "text" in asked:
        if sentences is None:
            raise ValueError("this index is not searched by texts; start with a text model: explore INDEX MODEL")
        text = asked.text("text")
        return Query(sentences.codes([text]), f"the text “{text}”")
    ids = known(collection, asked.ids("like"))
    codes = collection.index.vectors(ids)
    if len(ids) == 1:
        return Query(codes, collection.item(ids[0]).name, tuple(ids))
    mean = circular_mean(codes, collection.index.bits)[None]
    return Query(mean, f"the circular mean of {len(ids)} items", tuple(ids))


def known(collection: Collection, ids: list[int]) -> list[int]:
    """Return ids that are in the index, or raise a LookupError."""
    for number in ids:
        if number not in collection.index:
            raise LookupError(f"id {number} is not in the index; reload the page.")
    return ids


def _sounds(collection: Collection) -> Sounds:
    if not isinstance(collection, Sounds):
        raise ValueError("only recordings have stretches to search for; choose a result instead.")  # noqa: TRY004
    return collection


def _of_upload(number: int, collection: Collection, uploads: Uploads) -> Query:
    upload = uploads[number]
    if isinstance(collection, Images):
        return Query(collection.codes(upload.path.read_bytes()), f"the image {upload.name}")
    try:
        codes, starts = _sounds(collection).codes(upload.path)
    except ValueError as error:
        raise ValueError(str(error).replace(str(upload.path), upload.name)) from error
    several = f", each of its {len(codes)} windows" if len(codes) > 1 else ""
    return Query(codes, f"{upload.name}{several}", starts=tuple(starts))


def _of_stretch(asked: Asked, sounds: Sounds, uploads: Uploads) -> Query:
    if "upload" in asked:
        upload = uploads[asked.whole("upload", 0, 2**31)]
        path, name = upload.path, upload.name
    else:
        number = known(sounds, [asked.whole("id", 0, 2**63 - 1)])[0]
        path, name = sounds.path(number), sounds.item(number).name
    start, end = asked.number("start"), asked.number("end")
    if not 0 <= start <= end - SHORTEST:
        raise ValueError(f"the stretch goes from {start:g} to {end:g} s; draw one of at least {SHORTEST} s.")
    sentence = f"{name} from {clock(start)} to {clock(end)}"
    if "low" not in asked:
        return Query(sounds.codes(path, start, end)[0], f"{sentence}, all frequencies")
    low, high = asked.number("low"), asked.number("high")
    codes = np.asarray(sounds.codes_of_band(path, start, end, low, high))
    silenced = f"{low / 1000:.1f} to {min(high, sounds.ear.rate / 2) / 1000:.1f} kHz, everything else silenced"
    return Query(codes, f"{sentence}, {silenced}")
