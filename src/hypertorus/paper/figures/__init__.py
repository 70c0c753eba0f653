"""Draws the figures of the paper; `all_figures` lists them by name."""

from hypertorus.files.extras import require

require("matplotlib", extra="paper")
