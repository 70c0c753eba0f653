"""The figures of the paper, drawn; `all_figures` has them by name."""

from hypertorus.files.extras import require

require("matplotlib", extra="paper")
