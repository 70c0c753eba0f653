"""A database for perch-hoplite that keeps codes in place of float16 vectors and searches them exactly."""

from hypertorus.files.extras import require

require("perch_hoplite", extra="hoplite")

from hypertorus.integrations.hoplite.conversion import convert as convert  # noqa: E402
from hypertorus.integrations.hoplite.database import CodesDB as CodesDB  # noqa: E402
