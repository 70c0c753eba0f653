"""Pictures and sounds of items, by their ids: /levels, /sound and /image."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from hypertorus.explorer.collection import Collection
from hypertorus.explorer.images import Images, as_png
from hypertorus.explorer.query import known
from hypertorus.explorer.sounds import Sounds, picture, stretch, wav
from hypertorus.explorer.uploads import Uploads
from hypertorus.sound.wave import seconds_of

KEPT = {"Cache-Control": "private, max-age=3600"}
"""Windows of an index do not change while it is open, so the browser may keep what it has fetched."""
LONGEST = 60.0
"""Seconds from the start of a dropped sound that are seen and heard at most; all of it is searched for."""


class Media:
    """Serves what is behind the ids of a collection, and the files that were dropped on the page."""

    def __init__(self, collection: Collection, uploads: Uploads) -> None:
        self.collection, self.uploads = collection, uploads

    def levels(self, request: Request) -> Response:
        """Return the levels of a stretch, a byte for each place, and in headers how to read them."""
        path, start, end, window = self._stretch(request)
        steps, highest = picture(path, start, end, window)
        facts = {"Rows": steps.shape[0], "Columns": steps.shape[1], "Highest": highest, "Start": start, "End": end}
        headers = {f"Levels-{name}": f"{value:.12g}" for name, value in facts.items()}
        return Response(steps.tobytes(), media_type="application/octet-stream", headers=KEPT | headers)

    def sound(self, request: Request) -> Response:
        path, start, end, _ = self._stretch(request)
        slower = _number(request, "slower", 1)
        return Response(wav(path, start, end, int(slower)), media_type="audio/wav", headers=KEPT)

    def image(self, request: Request) -> Response:
        if not isinstance(self.collection, Images):
            raise LookupError("there are no images in this index.")  # noqa: TRY004
        if request.path_params["kind"] == "upload":
            upload = self.uploads[request.path_params["number"]]
            return Response(as_png(upload.name, upload.path.read_bytes()), media_type="image/png")
        number = known(self.collection, [request.path_params["number"]])[0]
        return Response(self.collection.thumbnail(number), media_type="image/png", headers=KEPT)

    def _stretch(self, request: Request) -> tuple[Path, float, float, float]:
        """Return the file that is asked for, start and end in seconds, and the length of a window."""
        sounds, number = self.collection, request.path_params["number"]
        if not isinstance(sounds, Sounds):
            raise LookupError("there are no sounds in this index.")  # noqa: TRY004
        if request.path_params["kind"] == "upload":
            path = self.uploads[number].path
            return path, 0.0, min(LONGEST, seconds_of(path)), sounds.ear.seconds
        item, path = sounds.item(known(sounds, [number])[0]), sounds.path(number)
        start, end = item.start or 0.0, item.end or 0.0
        start, end = stretch(path, start, end, _number(request, "before", 0.0), _number(request, "after", 0.0))
        return path, start, end, sounds.ear.seconds


def _number(request: Request, name: str, default: float) -> float:
    text = request.query_params.get(name)
    try:
        return default if text is None else float(text)
    except ValueError as error:
        raise ValueError(f"{name} is {text!r:.40}; it must be a number.") from error
