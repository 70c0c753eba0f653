"""Training runs: from data to a model in a folder, on lightning."""

from typing import TYPE_CHECKING

from hypertorus.files.extras import lazy_names
from hypertorus.train.settings import Settings as Settings

if TYPE_CHECKING:
    from hypertorus.train.hardware import Hardware as Hardware
    from hypertorus.train.health import TrainingError as TrainingError
    from hypertorus.train.run import Outcome as Outcome
    from hypertorus.train.run import train as train
else:  # the command line shows the settings, and lightning takes seconds to import
    __getattr__ = lazy_names(
        __name__,
        {"Hardware": "hardware", "TrainingError": "health", "Outcome": "run", "train": "run"},
        needs="lightning",
        extra="train",
    )
