"""Data sets of images, sounds and vectors with labels: published ones, folders, files of arrays; they need torch."""

from typing import TYPE_CHECKING

from hypertorus.files.extras import lazy_names

if TYPE_CHECKING:
    from hypertorus.datasets.data import Data as Data
    from hypertorus.datasets.part import InMemory as InMemory
    from hypertorus.datasets.part import Part as Part
    from hypertorus.datasets.read import read_data as read_data
else:  # synthetic recordings are written without torch
    __getattr__ = lazy_names(
        __name__,
        {"Data": "data", "InMemory": "part", "Part": "part", "read_data": "read"},
        needs="torch",
        extra="train",
    )
