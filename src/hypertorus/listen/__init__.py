"""Indexes recordings of any length and finds what sounds like a query; learns classes, and detects them."""

from hypertorus.files.extras import require

require("torch", extra="train")

from hypertorus.listen.detector import Detected as Detected  # noqa: E402
from hypertorus.listen.detector import detect as detect  # noqa: E402
from hypertorus.listen.examples import learn as learn  # noqa: E402
from hypertorus.listen.index import Match as Match  # noqa: E402
from hypertorus.listen.index import SoundIndex as SoundIndex  # noqa: E402
