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
        for case in {(each.data, each.trained): each for each in cases if each.trained in self.scale.encoders}.values():
            folder, settings = self._encoder(case), Settings(**self.scale.encoders[case.trained])
            if not RunFolder(folder).results.exists():
                run_training(read_data(case.data, folder=self.data_folder), settings, folder)
            _features(case.data, self.data_folder, folder, self.out)  # computes what all of these heads share

    def inputs(self, case: Case) -> Data:
        """Return the data set, or its features for a head."""
        if case.trained in self.scale.encoders:
            data = _features(case.data, self.data_folder, self._encoder(case), self.out)
        else:
            data = _read(case.data, self.data_folder)
        return Data(data.name, data.train, _first(data.test, self.scale.queries), data.classes)

    def measure(self, case: Case) -> list[Row]:
        data = self.inputs(case)
        searched_data = Data(data.name, _first(data.train, self.scale.references), data.test, data.classes)
        return measure(self.model(case), searched_data)

    def failed(self, case: Case) -> list[Row]:
        del case
        return [{"quantiser": name, "metric": "cosine"} for name in QUANTISERS]

    def _encoder(self, case: Case) -> Path:
        """Return the folder of the encoder whose features a head uses."""
        return self.out / "encoders" / (case.data if case.trained == HEAD else f"{case.data}-{case.trained}")


def _first(part: Part, count: int | None) -> Part:
    return part if count is None else part.take(range(min(count, len(part))))


@cache
def _read(name: str, data_folder: Path | None) -> Data:
    return read_data(name, folder=data_folder)


@cache
def _features(name: str, data_folder: Path | None, encoder: Path, out: Path) -> Data:
    """Return the features of a data set by the encoder in a folder; they are cached in `out`."""
    data, model = _read(name, data_folder), load(encoder)
    train_features, test_features = (features_of(model, part, out / "features") for part in (data.train, data.test))
    return Data(name, train_features, test_features, data.classes)
