"""Models: an encoder, a head and a space; they need torch."""

from typing import TYPE_CHECKING

from hypertorus.files.extras import lazy_names

if TYPE_CHECKING:
    from hypertorus.models.head import Head as Head
    from hypertorus.models.model import Model as Model
    from hypertorus.models.model import load as load
    from hypertorus.models.project import Project as Project
    from hypertorus.models.soft_schedule import SoftSchedule as SoftSchedule
else:  # the names of encoders and heads, which the command line shows, are known without torch
    __getattr__ = lazy_names(
        __name__,
        {"Head": "head", "Model": "model", "load": "model", "Project": "project", "SoftSchedule": "soft_schedule"},
        needs="torch",
        extra="train",
    )
