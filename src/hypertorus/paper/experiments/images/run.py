"""Experiments 1 and 2: test images are searched among training images, as floats and with every quantiser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hypertorus.datasets import Data, Part, read_data
from hypertorus.models.model import load
from hypertorus.paper.experiments.experiment import Experiment
from hypertorus.paper.experiments.grid import HEAD, Case
from hypertorus.paper.experiments.images.measure import COLUMNS, QUANTISERS, measure
from hypertorus.paper.experiments.images.scales import ImageScale
from hypertorus.paper.experiments.table import Row
from hypertorus.training import run_training
from hypertorus.training.folder import RunFolder
from hypertorus.training.frozen import features_of
from hypertorus.training.settings import Settings


@dataclass(frozen=True)
class ImageExperiment(Experiment):
    """Whole networks on images, or heads on the features of one network for each data set."""

    columns = COLUMNS

    scale: ImageScale

    def prepare(self, cases: Sequence[Case]) -> None:
        """Train the encoders whose features the heads use."""
        for name in dict.fromkeys(case.data for case in cases if case.trained == HEAD):
            folder = self.out / "encoders" / name
            if not RunFolder(folder).results.exists():
                run_training(read_data(name, folder=self.data_folder), Settings(**self.scale.features), folder)
            _read(name, self.data_folder, self.out)  # computes the features that all heads share

    def inputs(self, case: Case) -> Data:
        """Return the data set, or its features for a head."""
        data = _read(case.data, self.data_folder, self.out if case.trained == HEAD else None)
        return Data(data.name, data.train, _first(data.test, self.scale.queries), data.classes)

    def measure(self, case: Case) -> list[Row]:
        data = self.inputs(case)
        searched_data = Data(data.name, _first(data.train, self.scale.references), data.test, data.classes)
        return measure(self.model(case), searched_data)

    def failed(self, case: Case) -> list[Row]:
        del case
        return [{"quantiser": name, "metric": "cosine"} for name in QUANTISERS]


def _first(part: Part, count: int | None) -> Part:
    return part if count is None else part.take(range(min(count, len(part))))


@cache
def _read(name: str, data_folder: Path | None, out: Path | None) -> Data:
    """Return a data set or, with `out`, its features by the encoder in that folder."""
    data = read_data(name, folder=data_folder)
    if out is None:
        return data
    model = load(out / "encoders" / name)
    train_features, test_features = (features_of(model, part, out / "features") for part in (data.train, data.test))
    return Data(name, train_features, test_features, data.classes)
