"""Indexes recordings of any length, and finds the clips that sound most like a query."""

from hypertorus.files.extras import require

require("torch", extra="train")

from hypertorus.listen.index import Match as Match  # noqa: E402
from hypertorus.listen.index import SoundIndex as SoundIndex  # noqa: E402
