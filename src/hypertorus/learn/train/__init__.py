"""Training runs: from data to a model in a folder, on lightning."""

from hypertorus._extras import require

require("lightning", extra="train")

from hypertorus.learn.settings import Settings as Settings  # noqa: E402
from hypertorus.learn.train.hardware import Hardware as Hardware  # noqa: E402
from hypertorus.learn.train.health import TrainingError as TrainingError  # noqa: E402
from hypertorus.learn.train.run import Outcome as Outcome  # noqa: E402
from hypertorus.learn.train.run import train as train  # noqa: E402
