"""The paper's figures and experiments, each by its name."""

from hypertorus.files.extras import require

require("matplotlib", extra="paper")
