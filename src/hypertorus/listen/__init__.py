"""Recordings of any length to an index that is searched by ear."""

from hypertorus.files.extras import require

require("torch", extra="train")

from hypertorus.listen.index import Match as Match  # noqa: E402
from hypertorus.listen.index import SoundIndex as SoundIndex  # noqa: E402
