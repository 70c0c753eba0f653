"""Run a grid: train each case, measure it with every quantiser, and put the rows into the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from hypertorus.learn.data import Data, Part, read_data
from hypertorus.learn.model import Model, load
from hypertorus.learn.settings import Settings
from hypertorus.learn.train import Hardware, TrainingError, train
from hypertorus.learn.train.folder import RunFolder
from hypertorus.learn.train.frozen import features_of
from hypertorus.paper.experiments.measure import QUANTISERS, measure
from hypertorus.paper.experiments.processes import spread
from hypertorus.paper.experiments.scales import HEAD, Case, Scale
from hypertorus.paper.experiments.table import ResultTable, Row

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Experiment:
    """A grid that fills the table in a folder, and keeps its models there."""

    scale: Scale
    out: Path
    data_folder: Path | None = None
    hardware: Hardware = field(default_factory=Hardware)

    @property
    def table(self) -> ResultTable:
        return ResultTable(self.out / "results.csv")

    def run(self, cases: Iterable[Case], progress: Progress | None = None, *, processes: int = 1) -> None:
        """Run what is missing of these cases; `progress(done, of)` counts seconds as they are expected."""
        table = self.table
        missing = [case for case in cases if case not in table]
        self._train_encoders(missing)
        done, total = 0.0, sum(map(self._seconds, missing))
        for case, rows in spread(self.rows, missing, processes):
            table.add(case, rows)
            done += self._seconds(case)
            if progress:
                progress(round(done), round(total))

    def rows(self, case: Case) -> list[Row]:
        """Train a case and measure it; one that fails is rows that say so."""
        data, folder = self.inputs(case), self.out / "models" / case.folder
        try:
            # What is finished but not in the table was stopped while it was measured.
            done = RunFolder(folder).results.exists()
            outcome = train(data, self.scale.settings(case), folder, hardware=self.hardware, restart=done, show=False)
        except TrainingError as error:
            return [{"quantiser": name, "metric": "cosine", "status": str(error)} for name in QUANTISERS]
        if outcome is None:  # another process of the run has it
            return []
        looked_up = Data(data.name, _first(data.train, self.scale.references), data.test, data.classes)
        measured = measure(self.model(case), looked_up)
        return [{**row, "epochs": outcome.epochs, "seconds": outcome.seconds} for row in measured]

    def model(self, case: Case) -> Model:
        """The model that a case left."""
        return load(self.out / "models" / case.folder)

    def inputs(self, case: Case) -> Data:
        """What a case learns from and is tested on: the data set, or features of it."""
        data = _read(case.data, self.data_folder, self.out if case.trained == HEAD else None)
        return Data(data.name, data.train, _first(data.test, self.scale.queries), data.classes)

    def _train_encoders(self, cases: Sequence[Case]) -> None:
        for name in dict.fromkeys(case.data for case in cases if case.trained == HEAD):
            folder = self.out / "encoders" / name
            if not RunFolder(folder).results.exists():
                train(read_data(name, folder=self.data_folder), Settings(**self.scale.features), folder)
            _read(name, self.data_folder, self.out)  # computes the features that all heads share

    def _seconds(self, case: Case) -> float:
        return self.scale.seconds.get(case.trained, 1)


def _first(part: Part, count: int | None) -> Part:
    return part if count is None else part.take(range(min(count, len(part))))


@cache
def _read(name: str, data_folder: Path | None, out: Path | None) -> Data:
    """A data set or, of the encoder in `out`, its features."""
    data = read_data(name, folder=data_folder)
    if out is None:
        return data
    model = load(out / "encoders" / name)
    train_features, test_features = (features_of(model, part, out / "features") for part in (data.train, data.test))
    return Data(name, train_features, test_features, data.classes)
