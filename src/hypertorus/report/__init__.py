"""Pages and pictures to look at: one look for all of them."""

from hypertorus.files.extras import require

require("matplotlib", extra="paper")
