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
from hypertorus.training.prepare import build_model
from hypertorus.training.settings import Settings


@dataclass(frozen=True)
class ImageExperiment(Experiment):
    """Whole networks on images, or heads on the features of one network for each data set."""

    columns = COLUMNS

    scale: ImageScale

    def prepare(self, cases: Sequence[Case]) -> None:
        """Train the encoders whose features the heads use, and compute what all heads of an encoder share."""
        for case in {(each.data, each.trained): each for each in cases if self._is_head(each)}.values():
            folder = self._encoder(case)
            if case.trained in self.scale.encoders and not RunFolder(folder).results.exists():
                settings = Settings(**self.scale.encoders[case.trained])
                run_training(read_data(case.data, folder=self.data_folder), settings, folder)
            self._features(case)

    def inputs(self, case: Case) -> Data:
        """Return the data set, or its features for a head."""
        data = self._features(case) if self._is_head(case) else _read(case.data, self.data_folder)
        return Data(data.name, data.train, _first(data.test, self.scale.queries), data.classes)

    def measure(self, case: Case) -> list[Row]:
        data = self.inputs(case)
        searched_data = Data(data.name, _first(data.train, self.scale.references), data.test, data.classes)
        return measure(self.model(case), searched_data)

    def failed(self, case: Case) -> list[Row]:
        del case
        return [{"quantiser": name, "metric": "cosine"} for name in QUANTISERS]

    def _is_head(self, case: Case) -> bool:
        return case.trained in self.scale.encoders or case.trained in self.scale.pretrained

    def _features(self, case: Case) -> Data:
        encoder = self.scale.pretrained.get(case.trained) or self._encoder(case)
        return _features(case.data, self.data_folder, encoder, self.out)

    def _encoder(self, case: Case) -> Path:
        """Return the folder of the encoder whose features a head uses."""
        return self.out / "encoders" / (case.data if case.trained == HEAD else f"{case.data}-{case.trained}")


def _first(part: Part, count: int | None) -> Part:
    return part if count is None else part.take(range(min(count, len(part))))


@cache
def _read(name: str, data_folder: Path | None) -> Data:
    return read_data(name, folder=data_folder)


@cache
def _features(name: str, data_folder: Path | None, encoder: Path | str, out: Path) -> Data:
    """Return the features of a data set by the encoder in a folder or of a name; they are cached in `out`."""
    data = _read(name, data_folder)
    model = load(encoder) if isinstance(encoder, Path) else build_model(data, Settings(encoder=encoder))
    train_features, test_features = (features_of(model, part, out / "features") for part in (data.train, data.test))
    return Data(name, train_features, test_features, data.classes)
