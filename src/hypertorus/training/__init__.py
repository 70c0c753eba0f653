"""Training runs: from data to a model in a folder, on lightning."""

from typing import TYPE_CHECKING

from hypertorus.files.extras import lazy_names
from hypertorus.training.settings import Settings as Settings

if TYPE_CHECKING:
    from hypertorus.training.hardware import Hardware as Hardware
    from hypertorus.training.health import TrainingError as TrainingError
    from hypertorus.training.run import Outcome as Outcome
    from hypertorus.training.run import train as train
else:  # the command line shows the settings, and lightning takes seconds to import
    __getattr__ = lazy_names(
        __name__,
        {"Hardware": "hardware", "TrainingError": "health", "Outcome": "run", "train": "run"},
        needs="lightning",
        extra="train",
    )
