"""Data sets of images, sounds and vectors with labels: published ones, folders, and files of arrays."""

from hypertorus.files.extras import require

require("torch", extra="train")

from hypertorus.datasets.data import Data as Data  # noqa: E402
from hypertorus.datasets.part import InMemory as InMemory  # noqa: E402
from hypertorus.datasets.part import Part as Part  # noqa: E402
from hypertorus.datasets.read import read_data as read_data  # noqa: E402
