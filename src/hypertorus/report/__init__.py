"""Figures and HTML pages of one style."""

from hypertorus.files.extras import require

require("matplotlib", extra="paper")
