"""Training runs: from data to a model in a folder, on lightning."""

from typing import TYPE_CHECKING

from hypertorus.files.extras import lazy_names
from hypertorus.training.settings import Settings as Settings

if TYPE_CHECKING:
    from hypertorus.training.hardware import Hardware as Hardware
    from hypertorus.training.health import TrainingError as TrainingError
    from hypertorus.training.one_call import train as train
    from hypertorus.training.run import Outcome as Outcome
    from hypertorus.training.run import run_training as run_training
else:  # the command line shows the settings, and lightning takes seconds to import
    __getattr__ = lazy_names(
        __name__,
        {
            "Hardware": "hardware",
            "TrainingError": "health",
            "Outcome": "run",
            "run_training": "run",
            "train": "one_call",
        },
        needs="lightning",
        extra="train",
    )
