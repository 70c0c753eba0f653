"""Runs a grid: trains each case, measures it, and adds its rows to the table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from hypertorus.datasets import Data
from hypertorus.files.progress import Progress
from hypertorus.models.model import Model, load
from hypertorus.paper.experiments.grid import Case, Scale
from hypertorus.paper.experiments.processes import spread
from hypertorus.paper.experiments.table import Columns, ResultTable, Row
from hypertorus.training import Hardware, TrainingError, run_training
from hypertorus.training.folder import RunFolder


@dataclass(frozen=True)
class Experiment(ABC):
    """A grid of runs whose results table and models are in one folder."""

    columns: ClassVar[Columns]

    scale: Scale
    out: Path
    data_folder: Path | None = None
    hardware: Hardware = field(default_factory=Hardware)

    @property
    def table(self) -> ResultTable:
        return ResultTable(self.out / "results.csv", self.columns)

    def run(self, cases: Iterable[Case], progress: Progress | None = None, *, processes: int = 1) -> None:
        """Run the cases that are not in the table yet; `progress(done, total)` counts expected seconds."""
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
        """Train a case, measure it, and return its rows; the rows of a run that fails say why."""
        folder = self.out / "models" / case.folder
        settings = self.scale.settings(case)
        try:
            # A run that is complete but not in the table was stopped while it was measured.
            done = RunFolder(folder).results.exists()
            data = self.inputs(case)
            outcome = run_training(data, settings, folder, hardware=self.hardware, restart=done, show=False)
        except TrainingError as error:
            return [{**measured, "status": str(error)} for measured in self.failed(case)]
        if outcome is None:  # only the first process of a run has an outcome
            return []
        return [{**row, "epochs": outcome.epochs, "seconds": outcome.seconds} for row in self.measure(case)]

    def model(self, case: Case) -> Model:
        """Return the trained model of a case."""
        return load(self.out / "models" / case.folder)

    def prepare(self, cases: Sequence[Case]) -> None:  # noqa: B027  (most experiments need none)
        """Prepare what these cases share, before they are run."""

    @abstractmethod
    def inputs(self, case: Case) -> Data:
        """Return the training and test data of a case."""

    @abstractmethod
    def measure(self, case: Case) -> list[Row]:
        """Measure the trained model of a case and return its rows."""

    @abstractmethod
    def failed(self, case: Case) -> list[Row]:
        """Return the rows of a case that failed: their keys, without measures."""

    def _seconds(self, case: Case) -> float:
        return self.scale.seconds.get(case.trained, 1)
