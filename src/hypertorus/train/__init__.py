"""Training runs: from data to a model in a folder, on lightning."""

from hypertorus.files.extras import require

require("lightning", extra="train")

from hypertorus.train.hardware import Hardware as Hardware  # noqa: E402
from hypertorus.train.health import TrainingError as TrainingError  # noqa: E402
from hypertorus.train.run import Outcome as Outcome  # noqa: E402
from hypertorus.train.run import train as train  # noqa: E402
from hypertorus.train.settings import Settings as Settings  # noqa: E402
