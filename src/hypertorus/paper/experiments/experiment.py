"""Run a grid: train each case, measure it, and put the rows into the table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from hypertorus.data import Data
from hypertorus.files.progress import Progress
from hypertorus.models.model import Model, load
from hypertorus.paper.experiments.grid import Case, Scale
from hypertorus.paper.experiments.processes import spread
from hypertorus.paper.experiments.table import Columns, ResultTable, Row
from hypertorus.train import Hardware, TrainingError, train
from hypertorus.train.folder import RunFolder


@dataclass(frozen=True)
class Experiment(ABC):
    """A grid that fills the table in a folder, and keeps its models there."""

    columns: ClassVar[Columns]

    scale: Scale
    out: Path
    data_folder: Path | None = None
    hardware: Hardware = field(default_factory=Hardware)

    @property
    def table(self) -> ResultTable:
        return ResultTable(self.out / "results.csv", self.columns)

    def run(self, cases: Iterable[Case], progress: Progress | None = None, *, processes: int = 1) -> None:
        """Run what is missing of these cases; `progress(done, of)` counts seconds as they are expected."""
        table = self.table
        missing = [case for case in cases if case not in table]
        self.prepare(missing)
        done, total = 0.0, sum(map(self._seconds, missing))
        for case, rows in spread(self.rows, missing, processes):
            table.add(case, rows)
            done += self._seconds(case)
            if progress:
                progress(round(done), round(total))

    def rows(self, case: Case) -> list[Row]:
        """Train a case and measure it; one that fails is rows that say so."""
        folder = self.out / "models" / case.folder
        settings = self.scale.settings(case)
        try:
            # What is finished but not in the table was stopped while it was measured.
            done = RunFolder(folder).results.exists()
            data = self.inputs(case)
            outcome = train(data, settings, folder, hardware=self.hardware, restart=done, show=False)
        except TrainingError as error:
            return [{**measured, "status": str(error)} for measured in self.failed(case)]
        if outcome is None:  # another process of the run has it
            return []
        return [{**row, "epochs": outcome.epochs, "seconds": outcome.seconds} for row in self.measure(case)]

    def model(self, case: Case) -> Model:
        """The model that a case left."""
        return load(self.out / "models" / case.folder)

    def prepare(self, cases: Sequence[Case]) -> None:  # noqa: B027  (most have nothing to make)
        """Make what these cases share, before they are run."""

    @abstractmethod
    def inputs(self, case: Case) -> Data:
        """What a case learns from and is tested on."""

    @abstractmethod
    def measure(self, case: Case) -> list[Row]:
        """Rows of the model that a case left."""

    @abstractmethod
    def failed(self, case: Case) -> list[Row]:
        """Rows for a case that left no model: what tells them apart, and no measure."""

    def _seconds(self, case: Case) -> float:
        return self.scale.seconds.get(case.trained, 1)
