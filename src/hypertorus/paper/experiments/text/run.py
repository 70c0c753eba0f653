"""Heads on vectors of sentences: each space at many sizes, and one nested model that serves them all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hypertorus.datasets import Data, read_data
from hypertorus.datasets.archive import data_folder
from hypertorus.paper.experiments.experiment import Experiment
from hypertorus.paper.experiments.grid import Case
from hypertorus.paper.experiments.images.measure import COLUMNS, QUANTISERS, measure, measure_cuts
from hypertorus.paper.experiments.images.scales import ImageScale
from hypertorus.paper.experiments.table import Row


@dataclass(frozen=True)
class TextExperiment(Experiment):
    """Test sentences are searched among training sentences, as floats and with every quantiser."""

    columns = COLUMNS

    scale: ImageScale

    def inputs(self, case: Case) -> Data:
        return _read(case.data, self.data_folder or data_folder())

    def measure(self, case: Case) -> list[Row]:
        model, data = self.model(case), self.inputs(case)
        return [*measure(model, data), *(measure_cuts(model, data) if model.nested else ())]

    def failed(self, case: Case) -> list[Row]:
        del case
        return [{"quantiser": name, "metric": "cosine"} for name in QUANTISERS]


@cache
def _read(name: str, folder: Path) -> Data:
    path = folder / name
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; pass the folder that holds {name} as --data-folder.")
    return read_data(str(path))
